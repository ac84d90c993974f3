package io.palinode.benchmarks;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.detection.stream.InstanceDetector;
import java.util.List;

/** What is measured. */
final class Streaming implements Detector {
  private final InstanceDetector detector;

  Streaming(DetectionSpec spec) {
    this.detector = InstanceDetector.create(spec);
  }

  @Override
  public List<Witness> opened(Candidate candidate) {
    return detector.opened(candidate);
  }

  @Override
  public List<Witness> closed(Candidate candidate) {
    return detector.closed(candidate, "", null);
  }

  @Override
  public List<Witness> progress(long hlc) {
    return detector.progress(hlc);
  }

  @Override
  public long wakeAt() {
    return detector.wakeAt();
  }
}

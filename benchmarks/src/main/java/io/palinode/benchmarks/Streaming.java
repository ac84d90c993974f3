package io.palinode.benchmarks;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Hvc;
import java.util.List;

/** What is measured. */
final class Streaming implements Detector {
  private final io.palinode.detection.stream.Detector detector;

  Streaming(DetectionSpec spec) {
    this.detector = io.palinode.detection.stream.Detector.create(spec, DetectionLimits.DEFAULT);
    if (spec.isWithin()) {
      // All nodes have published what holds, so each trigger is judged.
      for (int node = 0; node < spec.nodes(); node++) {
        detector.searched(node, 1, Hvc.of(node, new long[spec.nodes()]));
      }
    }
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

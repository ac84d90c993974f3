package io.palinode.benchmarks;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Phantoms;
import io.palinode.detection.Witness;
import java.util.List;

/** The measured detector, with the count of phantoms beside it. */
final class Classifying implements Detector {
  private static final int LIMIT = 50_000;

  private final Streaming detector;
  private final DetectionSpec spec;
  private final Phantoms<Object> phantoms;

  private Classifying(DetectionSpec spec, Phantoms<Object> phantoms) {
    this.detector = new Streaming(spec);
    this.spec = spec;
    this.phantoms = phantoms;
  }

  /** Of one run: all its instances share what is known of versions. */
  static java.util.function.Function<DetectionSpec, Detector> ofOneRun() {
    Phantoms<Object> phantoms = new Phantoms<>(LIMIT, LIMIT);
    return spec -> new Classifying(spec, phantoms);
  }

  @Override
  public List<Witness> opened(Candidate candidate) {
    phantoms.observed(this, candidate);
    return classify(detector.opened(candidate));
  }

  @Override
  public List<Witness> closed(Candidate candidate) {
    phantoms.observed(this, candidate);
    return classify(detector.closed(candidate));
  }

  @Override
  public List<Witness> progress(long hlc) {
    List<Witness> found = classify(detector.progress(hlc));
    var unused = phantoms.passed(hlc);
    return found;
  }

  @Override
  public long wakeAt() {
    return detector.wakeAt();
  }

  private List<Witness> classify(List<Witness> found) {
    for (Witness witness : found) {
      phantoms.reported(this, spec.causality(), witness);
    }
    return found;
  }
}

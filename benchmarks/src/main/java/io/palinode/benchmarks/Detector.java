package io.palinode.benchmarks;

import io.palinode.detection.Candidate;
import io.palinode.detection.Witness;
import java.util.List;

/**
 * Detection for one predicate instance, as {@link io.palinode.detection.stream.InstanceDetector}.
 */
interface Detector {
  List<Witness> opened(Candidate candidate);

  List<Witness> closed(Candidate candidate);

  List<Witness> progress(long hlc);

  /** The least progress that changes something. */
  long wakeAt();
}

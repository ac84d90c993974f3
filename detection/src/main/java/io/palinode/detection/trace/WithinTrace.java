package io.palinode.detection.trace;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.detection.trace.TraceDetector.Extent;
import io.palinode.detection.within.Deadlines;
import java.util.function.Consumer;

/** Detection of {@code within} on a recorded trace of one instance. Pure. */
public final class WithinTrace {
  private WithinTrace() {}

  /**
   * Passes violations on in the order of {@link Witness#violate}; {@code judged} is run after each
   * interval. {@code trace} is read once. Memory: the triggers that wait and the answers that may
   * be theirs, {@code retainedMax} at most.
   *
   * @param until the last own HLC of the whole trace: it is known until then what was true
   */
  public static Extent detect(
      DetectionSpec spec,
      TraceSource trace,
      long until,
      int retainedMax,
      Consumer<Witness> witnesses,
      Runnable judged) {
    Deadlines deadlines = new Deadlines(spec, retainedMax);
    for (Candidate next = trace.take(); next != null; next = trace.take()) {
      spec.require(next);
      deadlines.judge(next.interval().start().own() - 1, witnesses);
      deadlines.began(next);
      judged.run();
    }
    deadlines.judge(until, witnesses);
    return new Extent(
        deadlines.dropped() + deadlines.unjudged(),
        0,
        deadlines.waiting(),
        deadlines.missingFrom());
  }
}

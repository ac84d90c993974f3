package io.palinode.orchestrator.plan;

import java.util.List;

/**
 * How long nodes serve nothing during a rollback: a part that is always there, and one for each
 * write that is undone, from the latest rollbacks of this cluster.
 *
 * @param perCopyMicros for each copy of a write, of all nodes together
 */
public record ExpectedPause(double baseMicros, double perCopyMicros) {
  /**
   * About what {@code palinode bench rollback} took for 10,000 changes on two cores; used before
   * this cluster has any of its own.
   */
  static final ExpectedPause DEFAULT = new ExpectedPause(120_000, 30);

  /** Fewer writes tell nothing of the cost of one. */
  private static final long COPIES_MIN = 1_000;

  /** From rollbacks, the latest first. */
  public static ExpectedPause of(List<Rollback> latest) {
    double base = DEFAULT.baseMicros;
    double perCopy = DEFAULT.perCopyMicros;
    boolean hasBase = false;
    for (Rollback one : latest) {
      if (one.state() == Rollback.State.RESUMED) {
        StepTimes times = one.times();
        long work = times.restoreMicros() + times.convergeMicros();
        if (one.undoneWrites() >= COPIES_MIN) {
          return new ExpectedPause(
              times.pauseMicros() + times.judgementMicros(), (double) work / one.undoneWrites());
        }
        base = hasBase ? base : one.totalMicros();
        hasBase = true;
      }
    }
    return new ExpectedPause(base, perCopy);
  }

  public long micros(long copies) {
    return Math.round(baseMicros + perCopyMicros * copies);
  }
}

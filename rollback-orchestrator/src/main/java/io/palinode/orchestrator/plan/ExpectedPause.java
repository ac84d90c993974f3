package io.palinode.orchestrator.plan;

import java.util.List;

/**
 * How long nodes serve no request during a rollback, estimated from this cluster's latest
 * rollbacks.
 *
 * @param baseMicros the constant part
 * @param perCopyMicros the part for each copy of an undone write, over all nodes
 */
public record ExpectedPause(double baseMicros, double perCopyMicros) {
  /**
   * The estimate before the first rollback: 10,000 changes on two cores in {@code palinode bench
   * rollback}.
   */
  static final ExpectedPause DEFAULT = new ExpectedPause(120_000, 30);

  /** Rollbacks of fewer copies do not show the cost of one copy. */
  private static final long COPIES_MIN = 1_000;

  /** From rollbacks, latest first. */
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

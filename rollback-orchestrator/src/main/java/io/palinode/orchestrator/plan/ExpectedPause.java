package io.palinode.orchestrator.plan;

import java.util.List;
import java.util.function.ToDoubleFunction;

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

  /** Of more, old ones would hide a change. */
  private static final int LATEST_MAX = 5;

  /**
   * The median of the latest rollbacks, without their wait for judgement.
   *
   * @param latest rollbacks, latest first
   */
  public static ExpectedPause of(List<Rollback> latest) {
    List<Rollback> done =
        latest.stream()
            .filter(one -> one.state() == Rollback.State.RESUMED)
            .limit(LATEST_MAX)
            .toList();
    return new ExpectedPause(
        median(done, ExpectedPause::base, DEFAULT.baseMicros),
        median(
            done.stream().filter(ExpectedPause::showsCopies).toList(),
            one -> (double) work(one) / one.undoneWrites(),
            DEFAULT.perCopyMicros));
  }

  private static double base(Rollback one) {
    return showsCopies(one)
        ? one.times().pauseMicros()
        : Math.max(0, one.totalMicros() - one.times().judgementMicros());
  }

  private static boolean showsCopies(Rollback one) {
    return one.undoneWrites() >= COPIES_MIN;
  }

  private static long work(Rollback one) {
    return one.times().restoreMicros() + one.times().convergeMicros();
  }

  /** Of an even number, the lower one of the middle. */
  private static double median(
      List<Rollback> all, ToDoubleFunction<Rollback> value, double otherwise) {
    double[] sorted = all.stream().mapToDouble(value).sorted().toArray();
    return sorted.length == 0 ? otherwise : sorted[(sorted.length - 1) / 2];
  }

  public long micros(long copies) {
    return Math.round(baseMicros + perCopyMicros * copies);
  }
}

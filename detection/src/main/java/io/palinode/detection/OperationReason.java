package io.palinode.detection;

import io.palinode.hvc.Interval;
import io.palinode.hvc.PointInTime;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.Term;
import org.jspecify.annotations.Nullable;

/** Why an operation of a client is a violation, in one sentence with its time. Pure. */
public enum OperationReason {
  LOST_UPDATE(
      "accepted a put that superseded a version which its client had not seen, as the node"),
  READ_AFTER_WRITE(
      "learned of a read that returned an older version than its client had written, as the"
          + " client"),
  READ_AFTER_READ(
      "learned of a read that returned an older version than its client had read, as the client"),
  STALE_READ(
      "learned of a read that returned an older version than its client had written or read, as the"
          + " client");

  private final String words;

  OperationReason(String words) {
    this.words = words;
  }

  /** Of a term, without the versions that decide it. Null: it is of no operation. */
  public static @Nullable OperationReason of(Term term) {
    if (!term.isOfOperations()) {
      return null;
    }
    return term.isLostUpdate()
        ? LOST_UPDATE
        : term.comparison() instanceof Comparison.NonMonotonicRead ? READ_AFTER_READ : STALE_READ;
  }

  /**
   * {@code definite: at …, node 1 accepted a put that superseded a version which its client had not
   * seen, as the node judged by the clocks of the versions}. What was seen is taken on trust.
   *
   * @param judged the interval of the operation, at the node that published it
   */
  public String of(Interval judged) {
    return ofTrace(judged) + " by the clocks of the versions";
  }

  /** As {@link #of(Interval)}, of a line that has no versions: its judgement is taken on trust. */
  public String ofTrace(Interval judged) {
    return "definite: at %s, node %d %s judged"
        .formatted(PointInTime.format(judged.start().own()), judged.node(), words);
  }
}

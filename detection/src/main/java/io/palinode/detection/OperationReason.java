package io.palinode.detection;

import io.palinode.hvc.Interval;
import io.palinode.hvc.PointInTime;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.Term;
import org.jspecify.annotations.Nullable;

/** Why an operation of a client is a violation, in one sentence with its time. Pure. */
public enum OperationReason {
  LOST_UPDATE("accepted a put that superseded a version which its client had not seen"),
  READ_AFTER_WRITE("learned of a read that returned an older version than its client had written"),
  READ_AFTER_READ("learned of a read that returned an older version than its client had read"),
  STALE_READ(
      "learned of a read that returned an older version than its client had written or read");

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
   * seen; the clocks of the versions alone show that}.
   *
   * @param judged the interval of the operation, at the node that judged it
   */
  public String of(Interval judged) {
    return "definite: at %s, node %d %s; the clocks of the versions alone show that"
        .formatted(PointInTime.format(judged.start().own()), judged.node(), words);
  }
}

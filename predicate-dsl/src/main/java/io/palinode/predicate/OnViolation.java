package io.palinode.predicate;

import io.palinode.hvc.Grade;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a violation causes.
 *
 * @param rollbackTo null: no rollback
 * @param rollbackOn the least grade that rolls back
 * @param alertOn the least grade that alerts
 * @param alerts where to: {@code console}, {@code webhook:URL}
 * @param whenFrequent null: never
 */
public record OnViolation(
    @Nullable RollbackTarget rollbackTo,
    Grade rollbackOn,
    Grade alertOn,
    List<String> alerts,
    @Nullable WhenFrequent whenFrequent) {

  public OnViolation {
    alerts = List.copyOf(alerts);
  }

  /** Where a rollback goes to. */
  public enum RollbackTarget {
    BEFORE_VIOLATION,
    BEFORE_FIRST_WITNESS
  }

  /**
   * More than {@code over} rollbacks in {@code per}: clients write sequentially (R + W > N) for
   * another {@code per}.
   */
  public record WhenFrequent(int over, Duration per) {}
}

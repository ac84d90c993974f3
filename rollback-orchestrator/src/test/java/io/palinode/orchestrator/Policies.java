package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.predicate.OnViolation.RollbackRules;
import io.palinode.predicate.OnViolation.RollbackScope;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Policies of predicates with one clause of two terms. */
final class Policies {
  private Policies() {}

  static Policy beforeViolation(String name) {
    return policy(name, RollbackTarget.BEFORE_VIOLATION, null);
  }

  static Policy beforeFirstWitness(String name) {
    return policy(name, RollbackTarget.BEFORE_FIRST_WITNESS, null);
  }

  /** Its clause must hold for that time. */
  static Policy lasting(String name, long micros) {
    Policy moment = beforeViolation(name);
    ClauseShape clause =
        new ClauseShape(ClauseRule.ALL, List.of(1, 1), Duration.of(micros, ChronoUnit.MICROS));
    return new Policy(name, 1, moment.onViolation(), List.of(clause));
  }

  /** The sum of two variables must not differ from 10 for that time. */
  static Policy lastingSum(String name, long micros) {
    ClauseRule notTen =
        new ClauseRule.Sum(ClauseRule.Relation.NOT_EQUALS, new Decimal(BigDecimal.TEN), List.of());
    ClauseShape clause =
        new ClauseShape(notTen, List.of(1, 1), Duration.of(micros, ChronoUnit.MICROS));
    return new Policy(name, 1, beforeViolation(name).onViolation(), List.of(clause));
  }

  /** An answer must come within that time. */
  static Policy within(String name, long millis) {
    ClauseShape clause =
        new ClauseShape(new ClauseRule.Within(Duration.ofMillis(millis)), List.of(1, 1));
    return new Policy(name, 1, beforeFirstWitness(name).onViolation(), List.of(clause));
  }

  static Policy alertOnly(String name) {
    return policy(name, null, null);
  }

  static Policy frequent(String name, WhenFrequent frequent) {
    return policy(name, RollbackTarget.BEFORE_VIOLATION, frequent);
  }

  static Policy gated(String name, @Nullable Budget budget, Approval approval) {
    return new Policy(
        name,
        1,
        new OnViolation(
            RollbackTarget.BEFORE_VIOLATION,
            Grade.POSSIBLE,
            Grade.POSSIBLE,
            List.of("console"),
            new RollbackRules(null, OnUnreachable.HALT, budget, approval, RollbackScope.ALL)),
        List.of(ClauseShape.all(2)));
  }

  static Policy affected(String name) {
    Policy all = beforeViolation(name);
    OnViolation action = Objects.requireNonNull(all.onViolation()).affectingOnlySome();
    return new Policy(name, 1, action, all.clauses());
  }

  static Policy whenUnreachable(String name, OnUnreachable what) {
    return new Policy(
        name,
        1,
        new OnViolation(
            RollbackTarget.BEFORE_VIOLATION,
            Grade.POSSIBLE,
            Grade.POSSIBLE,
            List.of("console"),
            new RollbackRules(null, what, null, Approval.AUTOMATIC, RollbackScope.ALL)),
        List.of(ClauseShape.all(2)));
  }

  private static Policy policy(
      String name, @Nullable RollbackTarget target, @Nullable WhenFrequent frequent) {
    return new Policy(
        name,
        1,
        new OnViolation(
            target, Grade.POSSIBLE, Grade.POSSIBLE, List.of("console"), RollbackRules.of(frequent)),
        List.of(ClauseShape.all(2)));
  }
}

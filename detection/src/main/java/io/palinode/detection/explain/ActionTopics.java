package io.palinode.detection.explain;

import io.palinode.hvc.Grade;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.OnViolation.RollbackRules;
import io.palinode.predicate.OnViolation.RollbackScope;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a violation causes. */
final class ActionTopics {
  private final OnViolation action;
  private final RollbackRules rollbacks;
  private final Duration heldFor;
  private final Duration goesBack;

  /**
   * @param heldFor the longest time for which a clause must hold; zero: for a moment
   * @param goesBack the longest time before a violation that a rollback may go
   */
  ActionTopics(OnViolation action, Duration heldFor, Duration goesBack) {
    this.action = action;
    this.heldFor = heldFor;
    this.goesBack = goesBack;
    this.rollbacks = action.rollbacks();
  }

  Topic rollback() {
    RollbackTarget target = action.rollbackTo();
    if (target == null) {
      return new Topic("rollback", List.of("None."));
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "A violation of grade %s restores %s to right before %s."
            .formatted(atLeast(action.rollbackOn()), part(), moment(target)));
    if (rollbacks.scope() == RollbackScope.AFFECTED) {
      sentences.add(
          "That is the closure of the witnesses' writes, by the nodes' access logs. Clients that read none of it continue. Where an access log does not suffice, the whole store is restored.");
    }
    if (!heldFor.isZero()) {
      sentences.add(
          "That is the time of for before the violation. So the safe point stays %s behind judgement, and programs that wait for it wait longer."
              .formatted(period(goesBack)));
    }
    if (goesBack.compareTo(heldFor) > 0) {
      sentences.add(
          "If the sum is wrong there with other values, such as between the puts of a transfer, the rollback goes further back.");
    }
    if (action.rollbackOn() == Grade.DEFINITE) {
      sentences.add(
          "That is mostly too late: the safe point does not wait until a grade has risen.");
    }
    WhenFrequent frequent = rollbacks.whenFrequent();
    sentences.add(
        frequent == null
            ? "There is no whenFrequent: frequent rollbacks change nothing for clients."
            : "After more than %s rollbacks within %s that touch the same keys, clients use these%s with R + W > N until %s have passed without one, or longer where that has not helped before."
                .formatted(
                    Shown.number(frequent.over()),
                    period(frequent.per()),
                    frequent.guards().isEmpty() ? "" : " and their guards",
                    period(frequent.per())));
    sentences.addAll(unreachable());
    gate(sentences);
    return new Topic("rollback", sentences);
  }

  private String part() {
    return switch (rollbacks.scope()) {
      case ALL -> "the whole store";
      case AFFECTED -> "its closure";
    };
  }

  private void gate(List<String> sentences) {
    Budget budget = rollbacks.budget();
    if (budget != null) {
      sentences.add(
          "At most %s within %s open by themselves; further violations stand."
              .formatted(Shown.number(budget.atMost()), period(budget.per())));
    }
    if (rollbacks.approval() == Approval.REQUIRED) {
      sentences.add("It waits for an operator's approval; the safe point waits too.");
    }
  }

  /** Nothing of what is usual. */
  private List<String> unreachable() {
    return switch (rollbacks.onUnreachable()) {
      case HALT -> List.of();
      case NEAREST_SNAPSHOT ->
          List.of(
              "If the time is out of a node's reach, the target becomes the newest complete snapshot before it, also before the safe point; without one the plan halts.");
      case RESTART ->
          List.of(
              "If the time is out of a node's reach, no write is discarded and clients are notified to restart their work. A second time within %s, the plan halts."
                  .formatted("10 minutes"));
    };
  }

  Topic alert() {
    return new Topic(
        "alert",
        List.of(
            action.alerts().isEmpty()
                ? "None."
                : "A violation of grade %s is reported to %s."
                    .formatted(
                        atLeast(action.alertOn()),
                        String.join(
                            ", ",
                            action.alerts().stream().map(ActionTopics::destination).toList()))));
  }

  private static String destination(String alert) {
    return alert.equals("console") ? "the console" : Shown.key(alert);
  }

  private static String moment(RollbackTarget target) {
    return switch (target) {
      case BEFORE_VIOLATION -> "the first moment at which all its terms held";
      case BEFORE_FIRST_WITNESS -> "the first of its terms began to hold, which can be far back";
    };
  }

  private static String atLeast(Grade least) {
    return switch (least) {
      case UNCERTAIN -> "uncertain, possible or definite";
      case POSSIBLE -> "possible or definite";
      case DEFINITE -> "definite";
    };
  }

  private static String period(Duration period) {
    long ms = period.toMillis();
    return ms % 1_000 == 0 ? Shown.number(ms / 1_000) + " s" : Shown.number(ms) + " ms";
  }
}

package io.palinode.cli.explain;

import io.palinode.hvc.Grade;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import java.util.ArrayList;
import java.util.List;

/** What a violation causes. */
final class ActionTopics {
  private final OnViolation action;

  ActionTopics(OnViolation action) {
    this.action = action;
  }

  Topic rollback() {
    RollbackTarget target = action.rollbackTo();
    if (target == null) {
      return new Topic("rollback", List.of("None."));
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "A violation of grade %s takes the whole store back to right before %s."
            .formatted(atLeast(action.rollbackOn()), moment(target)));
    if (action.rollbackOn() == Grade.DEFINITE) {
      sentences.add(
          "That is mostly too late: the safe point does not wait for a grade that may still rise.");
    }
    WhenFrequent frequent = action.whenFrequent();
    sentences.add(
        frequent == null
            ? "There is no whenFrequent: it asks nothing of clients when that comes often."
            : "After more than %s of its rollbacks within %s, clients write to all replicas for another %s."
                .formatted(Shown.number(frequent.over()), period(frequent), period(frequent)));
    sentences.addAll(unreachable());
    return new Topic("rollback", sentences);
  }

  /** Nothing of what is usual. */
  private List<String> unreachable() {
    return switch (action.onUnreachable()) {
      case HALT -> List.of();
      case NEAREST_SNAPSHOT ->
          List.of(
              "When a node cannot go back so far, the store goes to the newest whole snapshot before it, also before the safe point; without one it halts.");
      case RESTART ->
          List.of(
              "When a node cannot go back so far, nothing is taken back: clients are told to begin their work anew. A second time within %s, it halts."
                  .formatted("10 minutes"));
    };
  }

  Topic alert() {
    return new Topic(
        "alert",
        List.of(
            action.alerts().isEmpty()
                ? "None."
                : "A violation of grade %s is told to %s."
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

  private static String period(WhenFrequent frequent) {
    long ms = frequent.per().toMillis();
    return ms % 1_000 == 0 ? Shown.number(ms / 1_000) + " s" : Shown.number(ms) + " ms";
  }
}

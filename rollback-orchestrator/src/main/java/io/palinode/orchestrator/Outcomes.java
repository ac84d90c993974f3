package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.orchestrator.Command.Outcome;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.StandingViolations;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.wire.v1.Violation;
import org.jspecify.annotations.Nullable;

/** The outcomes of violations, as functions of the machine's state alone. */
public final class Outcomes {
  private Outcomes() {}

  /** The outcome of a violation that was just read. */
  static Outcome first(MachineState state, Violation violation, Policy policy) {
    ControlLogState log = state.log();
    if (!asksForRollback(violation, policy)) {
      // A replay knows the newest version only, also of violations that were discarded before it.
      boolean isReplaced = violation.getPredicateVersion() != policy.version();
      return isReplaced && isCovered(log, violation) ? Outcome.COVERED : Outcome.NO_ROLLBACK;
    }
    PastPlan kept = log.plans().settledWithoutRestore(violation.getEpoch(), violation.getViolate());
    if (kept != null) {
      return of(kept);
    }
    if (isCovered(log, violation)) {
      return Outcome.COVERED;
    }
    boolean mayStand =
        policy.isGated()
            || log.gates()
                .holds(violation.getPredicate(), violation.getBinding(), violation.getViolate());
    if (mayStand
        && log.plans().isFromBeginning(violation.getEpoch(), policy.heldSince(violation))) {
      return Outcome.STANDS;
    }
    // Before the comparison with the safe point, which may have passed a standing violation.
    StandingViolations stands = stands(log, violation);
    if (stands != null) {
      return of(stands);
    }
    return violation.getViolate() <= state.safePoint() ? Outcome.TOO_LATE : Outcome.ROLLBACK;
  }

  /** The outcome of an earlier violation whose outcome was {@code known}. */
  public static Outcome now(MachineState state, Violation violation, Outcome known) {
    boolean mayChange =
        switch (known) {
          case ROLLBACK, ABANDONED, RESTARTED, OVER_BUDGET, REJECTED, STANDS, TOO_LATE -> true;
          case COVERED, NO_ROLLBACK, WAITING, EXPIRED -> false;
        };
    if (!mayChange) {
      return known;
    }
    ControlLogState log = state.log();
    PastPlan kept = log.plans().settledWithoutRestore(violation.getEpoch(), violation.getViolate());
    if (kept != null) {
      return of(kept);
    }
    if (isCovered(log, violation)) {
      return known == Outcome.ROLLBACK ? Outcome.ROLLBACK : Outcome.COVERED;
    }
    StandingViolations stands = stands(log, violation);
    if (stands != null) {
      return of(stands);
    }
    return known == Outcome.ROLLBACK && isDropped(state, violation) ? Outcome.NO_ROLLBACK : known;
  }

  /** The alert about a changed outcome; null if the predicate is not in force or does not alert. */
  public static @Nullable Alert alert(MachineState state, OutcomeChange change) {
    Violation violation = change.violation().violation();
    Policy policy = state.policies().get(violation.getPredicate());
    return policy == null || !policy.alerts(Grades.of(violation.getGrade()))
        ? null
        : Alerts.outcomeChanged(change, policy);
  }

  /** The alert about a violation of an earlier run that holds; null as above, or if it ended. */
  public static @Nullable Alert alert(MachineState state, ReceivedViolation received) {
    Violation violation = received.violation();
    Policy policy = state.policies().get(violation.getPredicate());
    Outcome outcome = received.outcome();
    return outcome == null
            || policy == null
            || !policy.alerts(received.grade())
            || received.asOf(state).ended() != 0
        ? null
        : Alerts.violation(received.latest(), policy, outcome);
  }

  private static boolean asksForRollback(Violation violation, Policy policy) {
    Grade grade = Grades.of(violation.getGrade());
    return policy.rollsBack(grade, violation.getPredicateVersion());
  }

  private static boolean isCovered(ControlLogState log, Violation violation) {
    return log.plans().isSettled(violation.getEpoch(), violation.getViolate())
        || log.plans().isBeingDiscarded(violation.getEpoch(), violation.getViolate());
  }

  /** Whether the predicate was deleted, or asks for no rollback now, before a plan was opened. */
  private static boolean isDropped(MachineState state, Violation violation) {
    String predicate = violation.getPredicate();
    Policy policy = state.policies().get(predicate);
    Plan plan = state.log().plan();
    return (policy == null || !asksForRollback(violation, policy))
        && state.log().gates().request(predicate) == null
        && (plan == null || plan.epoch() <= violation.getEpoch());
  }

  private static @Nullable StandingViolations stands(ControlLogState log, Violation violation) {
    return log.gates().standing(violation.getPredicate(), violation.getViolate());
  }

  private static Outcome of(StandingViolations stands) {
    return stands.isForBudget() ? Outcome.OVER_BUDGET : Outcome.REJECTED;
  }

  private static Outcome of(PastPlan kept) {
    return kept.restarted() ? Outcome.RESTARTED : Outcome.ABANDONED;
  }
}

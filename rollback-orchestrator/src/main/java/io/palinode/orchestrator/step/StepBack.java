package io.palinode.orchestrator.step;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.FoundViolations;

/**
 * The next target of a plan whose restored cut is still a violation.
 *
 * <p>The witnesses may have begun shortly before the target, or stand on a replica that lagged. The
 * first steps are therefore short, each twice as long as the one before. If there is a coverage gap
 * after the floor, a witness may have begun in it, and the next target is right before the gap. The
 * last attempt goes to the floor, so the number of steps does not decide whether the plan ends.
 *
 * @param from the cut that is a violation, without the plans that ended there
 * @param floor the earliest cut that the plan may restore
 * @param target of the next attempt; later than {@code from} only if {@code from} is at the floor
 */
record StepBack(long from, long floor, long target, boolean isAtSafePoint, boolean isOverMax) {

  static StepBack of(MachineState state, Plan plan) {
    ControlLogState log = state.log();
    boolean isByHand = plan.operator().isByHand();
    long floor = isByHand ? plan.reachMax() : Math.max(plan.reachMax(), state.safePoint());
    long from = log.plans().beforePlansAt(plan.target());
    return new StepBack(
        from,
        floor,
        log.plans().firstUndiscarded(earlier(state, plan, from, floor)),
        !isByHand && from <= state.safePoint(),
        plan.attemptsOfThisTry() >= state.settings().attemptsMax());
  }

  /** Whether no earlier cut can be restored. */
  boolean isAtFloor() {
    return from <= floor;
  }

  private static long earlier(MachineState state, Plan plan, long from, long floor) {
    int attempts = plan.attemptsOfThisTry();
    if (!plan.operator().isByHand()) {
      long heldAt = state.log().coverage().heldAt(state.nowMicros());
      if (heldAt < from) {
        return Math.max(floor, heldAt);
      }
      boolean isGapPast = heldAt == FoundViolations.NOT_HELD && state.found().lostTo() > floor;
      if (isGapPast || attempts >= state.settings().attemptsMax() - 1) {
        return floor;
      }
    }
    long further =
        RollbackSettings.micros(state.settings().stepBack()) << Math.max(0, attempts - 1);
    return Math.max(floor, from - (further << Hlc.COUNTER_BITS));
  }
}

package io.palinode.orchestrator.step;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.MachineState;
import java.util.List;

/**
 * The next target of a plan whose restored cut is still a violation: right before the violation
 * began, as the nodes' window-logs show it.
 *
 * <p>The nodes look back to {@link #sinceFrom}. If the violation is older, the next target is
 * there; if no node knows, it is the floor. The last attempt goes to the floor, so the number of
 * attempts does not decide whether the plan ends.
 *
 * @param from the cut that is a violation, without the plans that ended there
 * @param floor the earliest cut that the plan may restore
 * @param target of the next attempt; later than {@code from} only if {@code from} is at the floor
 * @param isKnown whether nodes know since when the cut is a violation
 */
record StepBack(
    long from, long floor, long target, boolean isKnown, boolean isAtSafePoint, boolean isOverMax) {
  /** How far the first attempt looks back. Few first cuts are violations, so it must be cheap. */
  private static final long FIRST_LOOK_HLC = Hlc.ofMicros(1_000_000);

  static StepBack of(MachineState state, Plan plan, List<CutCheck.Instance> violated) {
    long floor = floor(state, plan);
    long from = state.log().plans().beforePlansAt(plan.target());
    long since = violated.stream().mapToLong(CutCheck.Instance::since).min().orElse(0);
    long earlier = isLast(state, plan) ? floor : Math.max(floor, Math.min(since, from) - 1);
    return new StepBack(
        from,
        floor,
        state.log().plans().firstUndiscarded(earlier),
        since > 0,
        !plan.operator().isByHand() && from <= state.safePoint(),
        plan.attemptsOfThisTry() >= state.settings().attemptsMax());
  }

  /** The HLC up to which nodes look back for the beginning of what holds on a plan's next cut. */
  static long sinceFrom(MachineState state, Plan plan, long target) {
    long floor = Math.min(target, floor(state, plan));
    return plan.attempt() == 0 ? Math.max(floor, target - FIRST_LOOK_HLC) : floor;
  }

  /** Whether no earlier cut can be restored. */
  boolean isAtFloor() {
    return from <= floor;
  }

  private static long floor(MachineState state, Plan plan) {
    return plan.operator().isByHand()
        ? plan.reachMax()
        : Math.max(plan.reachMax(), state.safePoint());
  }

  private static boolean isLast(MachineState state, Plan plan) {
    return !plan.operator().isByHand()
        && plan.attemptsOfThisTry() >= state.settings().attemptsMax() - 1;
  }
}

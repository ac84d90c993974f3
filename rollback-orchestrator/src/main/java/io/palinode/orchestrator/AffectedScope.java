package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.predicate.OnViolation;
import io.palinode.wire.v1.Scope;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether a plan undoes only what came of its witnesses (ADR 0024): from the plan, its violations
 * and the policies alone, once all nodes are paused and all up to then is judged.
 *
 * @param scope what nodes are asked; null: all after the target is undone
 * @param why it is all, though the violations would have it otherwise; empty: they would not
 */
record AffectedScope(@Nullable Scope scope, String why) {
  /** What more of is not told one by one. */
  static final int CLIENTS_MAX = 1_000;

  static final int PERCENT_MAX = 50;

  /** Of each node: some 25 bytes each in the control log, and all nodes go through all of them. */
  static final int ACCESSES_MAX = 30_000;

  private static final AffectedScope UNWANTED = new AffectedScope(null, "");

  /** Whether the plan's violations, as far as they are known, would have it so. */
  static boolean isWanted(MachineState state, Plan plan) {
    List<Demand> admitted = NextStep.admitted(state, plan);
    return plan.attempt() == 0
        && !plan.hand().isByHand()
        && !admitted.isEmpty()
        && admitted.stream().allMatch(demand -> wantsAffected(state, demand.predicate()));
  }

  private static boolean wantsAffected(MachineState state, String predicate) {
    Policy policy = state.policies().get(predicate);
    OnViolation action = policy == null ? null : policy.onViolation();
    return action != null && action.scope() == OnViolation.RollbackScope.AFFECTED;
  }

  /** When all nodes are paused, and everything up to their pause is judged. */
  static AffectedScope of(MachineState state, Plan plan, long target) {
    if (!isWanted(state, plan)) {
      return UNWANTED;
    }
    String why = whyAll(state, plan, target);
    if (why != null) {
      return new AffectedScope(null, why);
    }
    Scope.Builder scope =
        Scope.newBuilder()
            .setClientsMax(CLIENTS_MAX)
            .setPercentMax(PERCENT_MAX)
            .setAccessesMax(ACCESSES_MAX);
    NextStep.admitted(state, plan).stream()
        .flatMap(demand -> demand.witnesses().stream())
        .filter(witness -> witness.getHlc() > target)
        .distinct()
        .forEach(scope::addWitnesses);
    return new AffectedScope(scope.build(), "");
  }

  private static @Nullable String whyAll(MachineState state, Plan plan, long target) {
    List<Demand> admitted = NextStep.admitted(state, plan);
    if (state.findings().demandsBefore(plan.epoch()).count() > admitted.size()
        || !state.journal().gates().requests().isEmpty()) {
      return "a violation waits for approval, or for its budget, and would be judged by nobody";
    }
    if (state.policies().values().stream().anyMatch(AffectedScope::actsOnRisenGrade)) {
      return "a predicate is rolled back when a grade has risen, which may come too late";
    }
    if (state.findings().lostTo() > target) {
      return "coverage was lost up to %s, after the target"
          .formatted(Hlc.format(state.findings().lostTo()));
    }
    List<PastPlan> past = state.journal().past();
    if (!past.isEmpty() && past.get(past.size() - 1).clock() > target) {
      return "the target is before the epoch began";
    }
    if (admitted.stream().anyMatch(Demand::hasTooManyWitnesses)) {
      return "there are more than %d witnesses".formatted(Demand.WITNESSES_MAX);
    }
    return unnoted(state, plan, target);
  }

  /** Their violations may be told after it was judged up to their time. */
  private static boolean actsOnRisenGrade(Policy policy) {
    OnViolation action = policy.onViolation();
    return action != null && policy.rollsBack() && action.rollbackOn() == Grade.DEFINITE;
  }

  private static @Nullable String unnoted(MachineState state, Plan plan, long target) {
    Map<Integer, Long> since = plan.spread().notedSince();
    for (int node = 0; node < state.settings().nodes(); node++) {
      long from = since.getOrDefault(node, Long.MAX_VALUE);
      if (from > target) {
        return from == Long.MAX_VALUE
            ? "node %d has not noted who used which keys".formatted(node)
            : "node %d has noted who used which keys only since %s"
                .formatted(node, Hlc.format(from));
      }
    }
    return null;
  }
}

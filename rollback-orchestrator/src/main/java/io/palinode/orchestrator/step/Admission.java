package io.palinode.orchestrator.step;

import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import java.util.List;
import java.util.stream.Stream;

/** Whether violations may open a plan now, by approval and budget (ADR 0015). Pure. */
public final class Admission {
  private Admission() {}

  /** Why violations of a predicate open no plan. */
  enum Verdict {
    FREE,
    NEEDS_APPROVAL,
    OVER_BUDGET
  }

  /** For violations that wait for a plan now. */
  static Verdict of(MachineState state, Demand demand) {
    String predicate = demand.predicate();
    Policy policy = state.policies().get(predicate);
    Budget budget = policy == null ? null : policy.budget();
    if (budget != null && roomAtMicros(state, predicate, budget) > state.nowMicros()) {
      return Verdict.OVER_BUDGET;
    }
    boolean needsApproval =
        policy == null
            || !policy.rollsBack(demand.since())
            || policy.approval() == Approval.REQUIRED;
    return needsApproval ? Verdict.NEEDS_APPROVAL : Verdict.FREE;
  }

  /**
   * Whether the predicate's violations need no plan: it was deleted, or at some version asked for
   * no rollback. Pending and approved requests of the log still count.
   */
  public static boolean asksForNothing(MachineState state, Demand demand) {
    String predicate = demand.predicate();
    Policy policy = state.policies().get(predicate);
    Plan plan = state.log().plan();
    return (policy == null || !policy.rollsBack(demand.since()))
        && state.log().gates().request(predicate) == null
        && (plan == null || !plan.approves().equals(predicate));
  }

  /** From when the budget has room for one more plan, wall clock; 0: now. */
  static long roomAtMicros(MachineState state, String predicate, Budget budget) {
    List<PastPlan> spent = spent(state, predicate, budget);
    return spent.size() < budget.atMost()
        ? 0
        : spent.get(spent.size() - budget.atMost()).openedMicros()
            + RollbackSettings.micros(budget.per());
  }

  /** The plans that count against the budget now, oldest first, without operators' plans. */
  static List<PastPlan> spent(MachineState state, String predicate, Budget budget) {
    ControlLogState log = state.log();
    long since =
        Math.max(
            state.nowMicros() - RollbackSettings.micros(budget.per()),
            log.gates().renewed().getOrDefault(predicate, 0L));
    return log.plans().past().stream()
        .filter(plan -> plan.openedMicros() > since && !plan.byHand())
        .filter(plan -> plan.predicate().equals(predicate) || isTouched(log, plan, predicate))
        .toList();
  }

  private static boolean isTouched(ControlLogState log, PastPlan plan, String predicate) {
    TouchingRollback touching = log.frequent().of(plan.epoch());
    return touching != null && touching.isOf(predicate);
  }

  /** The demands that the plan is opened for, or that would open one. */
  static List<Demand> admitted(MachineState state, Plan plan) {
    return state
        .found()
        .demandsBefore(plan.epoch())
        .filter(demand -> plan.approves().equals(demand.predicate()) || isFree(state, demand))
        .toList();
  }

  /** The predicates whose violations the plan covers, by the log and its first restore. */
  static Stream<String> predicates(MachineState state, Plan plan) {
    TouchingRollback touching = state.log().frequent().of(plan.epoch());
    Stream<String> touched =
        touching == null
            ? Stream.of()
            : touching.touches().stream().map(TouchedInstance::predicate);
    Stream<String> asking =
        plan.phase().isBeforeRestore()
            ? admitted(state, plan).stream().map(Demand::predicate)
            : Stream.of();
    return Stream.of(Stream.of(plan.predicate()), touched, asking)
        .flatMap(names -> names)
        .distinct();
  }

  static boolean isFree(MachineState state, Demand demand) {
    return of(state, demand) == Verdict.FREE;
  }
}

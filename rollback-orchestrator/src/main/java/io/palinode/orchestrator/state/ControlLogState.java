package io.palinode.orchestrator.state;

import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.plan.WholeSnapshots;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PlanOpened;
import org.jspecify.annotations.Nullable;

/**
 * The state that the control log describes. Immutable. The same log gives the same state.
 *
 * @param plans the open plan and the latest plans
 * @param safePoint the greatest safe point published
 * @param snapshots the snapshots that a plan can restore
 * @param frequent the rollbacks by instance, and the keys that are sequential because of them
 * @param gates approval requests, standing violations and renewed budgets
 * @param coverage the known coverage gaps and their acknowledgements
 */
public record ControlLogState(
    int nodes,
    Plans plans,
    long safePoint,
    WholeSnapshots snapshots,
    FrequentRollbacks frequent,
    Gates gates,
    Coverage coverage) {

  public static ControlLogState empty(int nodes) {
    return new ControlLogState(
        nodes,
        Plans.NONE,
        0,
        WholeSnapshots.NONE,
        FrequentRollbacks.NONE,
        Gates.NONE,
        Coverage.NONE);
  }

  /** The epoch in force; 0 before the first plan. */
  public long epoch() {
    return plans.epoch();
  }

  /** The open plan; null: none. */
  public @Nullable Plan plan() {
    return plans.open();
  }

  /** The state after one more record; the same object if the record has no effect. */
  public ControlLogState read(ControlRecord record) {
    if (writer(record) >= nodes) {
      return this;
    }
    Plan open = plan();
    Plan plan = open != null && record.getEpoch() == open.epoch() ? open : null;
    return switch (record.getStepCase()) {
      case PLAN_OPENED ->
          open == null && record.getEpoch() == epoch() + 1 && isAnswerable(record.getPlanOpened())
              ? with(plans.opened(record))
                  .with(gates.answered(record.getPlanOpened().getApproves()))
              : this;
      case RESUME ->
          plan != null && plan.isEndedBy(record.getResume()) ? resumed(plan, record) : this;
      case SAFE_POINT ->
          open == null && record.getSafePoint().getHlc() > safePoint
              ? withSafePoint(record.getSafePoint().getHlc())
              : this;
      case NODE_JOINED -> open == null ? this : with(plans.with(open.read(record)));
      case RESTORE -> plan == null ? this : restoring(plan, record);
      case PAUSED ->
          plan == null
              ? this
              : with(
                  plans.with(plan.read(record)).with(plans.serving().paused(record.getPaused())));
      case PAUSE,
          RESTORED,
          CONVERGE,
          ACCESSED,
          NAMED,
          CONTRIBUTION,
          CONVERGED,
          DUTY_FAILED,
          HALTED,
          RETRY,
          ABANDON,
          CANCEL ->
          plan == null ? this : with(plans.with(plan.read(record)));
      case SNAPSHOT -> with(snapshots.read(record.getSnapshot(), nodes));
      case GATE -> isLate(record) ? this : with(gates.read(record));
      case COVERAGE -> with(coverage.read(record, safePoint));
      case SERVING -> {
        ServingNodes serving = plans.serving();
        yield with(plans.with(serving.serving(record.getEpoch(), record.getServing().getNode())));
      }
      case WATCHING, NODE_REPORT, EFFECT, STEP_NOT_SET -> this;
    };
  }

  /**
   * Whether a request for approval is late: settled by a plan, or passed by the safe point. An
   * orchestrator that was replaced can write such a request.
   */
  private boolean isLate(ControlRecord record) {
    if (!record.getGate().hasAsked()) {
      return false;
    }
    long violate = record.getGate().getAsked().getViolate();
    return violate <= safePoint || plans.isSettled(record.getEpoch(), violate);
  }

  /**
   * Whether a plan may answer the request that it approves. The first answer of two orchestrators
   * counts. Logs of earlier releases hold approvals of late requests that all nodes have carried
   * out.
   */
  private boolean isAnswerable(PlanOpened opened) {
    long approves = opened.getApproves();
    return approves == 0 || gates.request(approves) != null || approves > gates.lastNumber();
  }

  /** The node that wrote a record; -1 for a record of the orchestrator. */
  public static int writer(ControlRecord record) {
    return switch (record.getStepCase()) {
      case PAUSED -> record.getPaused().getNode();
      case RESTORED -> record.getRestored().getNode();
      case ACCESSED -> record.getAccessed().getNode();
      case NAMED -> record.getNamed().getNode();
      case CONTRIBUTION -> record.getContribution().getNode();
      case CONVERGED -> record.getConverged().getNode();
      case DUTY_FAILED -> record.getDutyFailed().getNode();
      case NODE_JOINED -> record.getNodeJoined().getNode();
      case SERVING -> record.getServing().getNode();
      case PLAN_OPENED,
          PAUSE,
          RESTORE,
          CONVERGE,
          RESUME,
          HALTED,
          RETRY,
          ABANDON,
          CANCEL,
          SAFE_POINT,
          WATCHING,
          NODE_REPORT,
          SNAPSHOT,
          EFFECT,
          GATE,
          COVERAGE,
          STEP_NOT_SET ->
          -1;
    };
  }

  private ControlLogState restoring(Plan open, ControlRecord record) {
    Plan next = open.read(record);
    return next.equals(open)
        ? this
        : with(plans.with(next)).with(frequent.restored(open, record.getRestore()));
  }

  private ControlLogState resumed(Plan done, ControlRecord record) {
    Plans after = plans.resumed(done, record);
    PastPlan last = after.past().get(after.past().size() - 1);
    return with(after)
        .with(frequent.resumed(done, record.getResume()))
        .with(
            gates
                .after(done)
                .withoutSettled(
                    request ->
                        last.epoch() > request.epoch()
                            && last.settles(request.epoch(), request.violate())));
  }

  private ControlLogState withSafePoint(long hlc) {
    return new ControlLogState(nodes, plans, hlc, snapshots, frequent, gates, coverage);
  }

  private ControlLogState with(Plans next) {
    return next.equals(plans)
        ? this
        : new ControlLogState(nodes, next, safePoint, snapshots, frequent, gates, coverage);
  }

  private ControlLogState with(WholeSnapshots next) {
    return next.equals(snapshots)
        ? this
        : new ControlLogState(nodes, plans, safePoint, next, frequent, gates, coverage);
  }

  private ControlLogState with(FrequentRollbacks next) {
    return next.equals(frequent)
        ? this
        : new ControlLogState(nodes, plans, safePoint, snapshots, next, gates, coverage);
  }

  private ControlLogState with(Gates next) {
    return next.equals(gates)
        ? this
        : new ControlLogState(nodes, plans, safePoint, snapshots, frequent, next, coverage);
  }

  private ControlLogState with(Coverage next) {
    return next.equals(coverage)
        ? this
        : new ControlLogState(nodes, plans, safePoint, snapshots, frequent, gates, next);
  }
}

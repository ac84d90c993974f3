package io.palinode.orchestrator.state;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.plan.SnapshotCut;
import io.palinode.orchestrator.plan.WholeSnapshots;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Violation;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state that the control log describes. Immutable. The same log gives the same state.
 *
 * @param epoch the epoch in force: that of the last plan that resumed, 0 before the first
 * @param plan the open plan, which opens {@code epoch + 1}
 * @param past the latest plans, oldest first
 * @param safePoint the greatest safe point published
 * @param snapshots the snapshots that a plan can restore if the window-logs do not reach its target
 * @param touching the latest rollbacks by violations and their instances, oldest first; with the
 *     open plan's, once it restores
 * @param gates approval requests, standing violations and renewed budgets
 * @param sequential the sequential spans of the last {@code Resume}, in force or remembered
 * @param coverage the known coverage gaps and their acknowledgements
 * @param serving the nodes that serve the epoch of the latest plan
 */
public record ControlLogState(
    int nodes,
    long epoch,
    @Nullable Plan plan,
    List<PastPlan> past,
    long safePoint,
    WholeSnapshots snapshots,
    List<TouchingRollback> touching,
    List<SequentialSpan> sequential,
    Gates gates,
    Coverage coverage,
    ServingNodes serving) {
  /** The limit of past plans, and so of the rollbacks that {@code whenFrequent} can count. */
  public static final int PAST_MAX = 1_024;

  public static ControlLogState empty(int nodes) {
    return new ControlLogState(
        nodes,
        0,
        null,
        List.of(),
        0,
        WholeSnapshots.NONE,
        List.of(),
        List.of(),
        Gates.NONE,
        Coverage.NONE,
        ServingNodes.NONE);
  }

  /** The state after one more record; the same object if the record has no effect. */
  public ControlLogState read(ControlRecord record) {
    if (writer(record) >= nodes) {
      return this;
    }
    return switch (record.getStepCase()) {
      case PLAN_OPENED ->
          plan == null && record.getEpoch() == epoch + 1 && isAnswerable(record.getPlanOpened())
              ? withPlan(Plan.opened(record))
                  .with(gates.answered(record.getPlanOpened().getApproves()))
                  .with(ServingNodes.opened(record.getEpoch()))
              : this;
      case RESUME ->
          plan != null && record.getEpoch() == plan.epoch() && plan.isEndedBy(record.getResume())
              ? resumed(plan, record)
              : this;
      case SAFE_POINT ->
          plan == null && record.getSafePoint().getHlc() > safePoint
              ? new ControlLogState(
                  nodes,
                  epoch,
                  null,
                  past,
                  record.getSafePoint().getHlc(),
                  snapshots,
                  touching,
                  sequential,
                  gates,
                  coverage,
                  serving)
              : this;
      case NODE_JOINED -> plan == null ? this : withPlan(plan.read(record));
      case RESTORE ->
          plan != null && record.getEpoch() == plan.epoch() ? restoring(plan, record) : this;
      case PAUSED ->
          plan != null && record.getEpoch() == plan.epoch()
              ? withPlan(plan.read(record)).with(serving.paused(record.getPaused()))
              : this;
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
          plan != null && record.getEpoch() == plan.epoch() ? withPlan(plan.read(record)) : this;
      case SNAPSHOT -> withSnapshots(snapshots.read(record.getSnapshot(), nodes));
      case GATE -> isLate(record) ? this : with(gates.read(record));
      case COVERAGE -> with(coverage.read(record, safePoint));
      case SERVING -> with(serving.serving(record.getEpoch(), record.getServing().getNode()));
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
    return violate <= safePoint || isSettled(record.getEpoch(), violate);
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

  /**
   * Whether a plan discarded the write at {@code hlc} in {@code ofEpoch}, or an operator gave up on
   * that.
   */
  public boolean isSettled(long ofEpoch, long hlc) {
    return past.stream().anyMatch(p -> p.settles(ofEpoch, hlc));
  }

  /** The first plan that settles {@code hlc}, if no plan restored a cut before it; else null. */
  public @Nullable PastPlan settledWithoutRestore(long ofEpoch, long hlc) {
    List<PastPlan> settling = past.stream().filter(p -> p.settles(ofEpoch, hlc)).toList();
    return settling.isEmpty() || !settling.stream().allMatch(PastPlan::keptAll)
        ? null
        : settling.get(0);
  }

  /** The newest abandoned plan, unless the safe point has passed it; else null. */
  @Nullable PastPlan newestAbandoned() {
    for (int i = past.size() - 1; i >= 0; i--) {
      PastPlan plan = past.get(i);
      if (plan.abandoned()) {
        return safePoint < plan.clock() ? plan : null;
      }
    }
    return null;
  }

  /**
   * Whether the open plan discards the write at {@code hlc} and cannot reinstate it. A reinstating
   * plan, and one that undoes only some writes, can.
   */
  public boolean isBeingDiscarded(long ofEpoch, long hlc) {
    return plan != null
        && !plan.operator().isUndo()
        && !plan.operator().isOfSome()
        && !plan.phase().isBeforeRestore()
        && plan.attempt() > 0
        && plan.epoch() > ofEpoch
        && plan.target() < hlc;
  }

  /** The plan that discards events up to {@code hlc} and was not complete by then; or null. */
  public @Nullable PastPlan discardedAround(long hlc) {
    return discardedAround(hlc, 0);
  }

  /** The same, except for the plan that opened {@code except}, which is to be undone. */
  public @Nullable PastPlan discardedAround(long hlc, long except) {
    return past.stream()
        .filter(p -> p.epoch() != except && p.isWithin(hlc))
        .findFirst()
        .orElse(null);
  }

  /** The plan that opened {@code ofEpoch}; null: unknown, or dropped. */
  public @Nullable PastPlan pastPlan(long ofEpoch) {
    return past.stream().filter(p -> p.epoch() == ofEpoch).findFirst().orElse(null);
  }

  /**
   * The first cut at or after {@code hlc} that holds no discarded write. Right after a plan, the
   * store is as it was at the plan's target.
   */
  public long firstUndiscarded(long hlc) {
    long cut = hlc;
    for (PastPlan plan : past) {
      cut = plan.isWithin(cut) ? plan.clock() : cut;
    }
    return cut;
  }

  /**
   * The earliest cut equal to the one at {@code hlc}, skipping plans that ended there. 0: none, as
   * the plan discarded no write although it should have.
   */
  public long beforePlansAt(long hlc) {
    long cut = hlc;
    for (int i = past.size() - 1; i >= 0; i--) {
      PastPlan plan = past.get(i);
      boolean endsThere = plan.clock() == cut && !plan.undone();
      cut = !endsThere ? cut : plan.keptAll() ? 0 : plan.target();
    }
    return cut;
  }

  /**
   * Why the store at {@code hlc} cannot be read, with the nearest readable times; null: it can.
   * Nodes may be on different sides of an undo at {@code hlc}.
   */
  public @Nullable String halfUndoneAt(long hlc) {
    if (plan != null && plan.attempt() > 0 && quietSince(plan) < hlc) {
      return "the rollback to epoch %d is under way: the store can be read up to %s, or after the rollback"
          .formatted(plan.epoch(), Hlc.format(quietSince(plan)));
    }
    for (PastPlan done : past) {
      if (done.isHalfDoneAt(hlc)) {
        return "at time %s the store was half undone, by the rollback to epoch %d: it can be read up to %s, and from %s on"
            .formatted(
                Hlc.format(hlc),
                done.epoch(),
                Hlc.format(done.quietSince()),
                Hlc.format(done.clock()));
      }
    }
    return null;
  }

  /** Whether the cut is the store of one epoch and holds no discarded write. */
  public boolean isWholeAt(long hlc) {
    return discardedAround(hlc) == null && past.stream().noneMatch(p -> p.isHalfDoneAt(hlc));
  }

  /** Whether the open plan's target is the cut of this snapshot. */
  public boolean isGoingTo(String snapshot) {
    SnapshotCut cut = plan == null ? null : plan.halts().fallback().snapshot();
    return cut != null && cut.id().equals(snapshot);
  }

  /** The newest plan of {@code predicate} that ended in a restart; or null. */
  public @Nullable PastPlan lastRestart(String predicate) {
    return past.stream()
        .filter(p -> p.restarted() && p.predicate().equals(predicate))
        .reduce((older, newer) -> newer)
        .orElse(null);
  }

  /**
   * The HLC after which the plan undoes writes; no node starts before the previous plan's clock.
   */
  private long quietSince(Plan some) {
    long over = past.isEmpty() ? 0 : past.get(past.size() - 1).clock();
    return Math.max(over, some.quietSince());
  }

  /**
   * Whether the violation held when its epoch began. Nodes open such intervals right after the
   * clock of the plan.
   */
  public boolean isFoundAtBeginning(Violation violation) {
    PastPlan opened = pastPlan(violation.getEpoch());
    return opened != null && violation.getViolate() <= opened.clock() + 1;
  }

  /** The instances of the plan of {@code ofEpoch}; null if no violation asked for it. */
  public @Nullable TouchingRollback touching(long ofEpoch) {
    return touching.stream().filter(r -> r.epoch() == ofEpoch).findFirst().orElse(null);
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
    List<TouchedInstance> touches =
        record.getRestore().getTouchedList().stream().map(TouchedInstance::of).toList();
    if (next.equals(open) || touches.isEmpty() || touching(open.epoch()) != null) {
      return withPlan(next);
    }
    boolean inVain =
        touches.stream()
            .anyMatch(
                touch ->
                    sequential.stream()
                        .anyMatch(s -> s.isInForce(open.openedMicros()) && s.covers(touch)));
    List<TouchingRollback> longer =
        Stream.concat(
                touching.stream().skip(Math.max(0, touching.size() + 1 - PAST_MAX)),
                Stream.of(new TouchingRollback(open.epoch(), open.openedMicros(), touches, inVain)))
            .toList();
    return new ControlLogState(
        nodes,
        epoch,
        next,
        past,
        safePoint,
        snapshots,
        longer,
        sequential,
        gates,
        coverage,
        serving);
  }

  private ControlLogState with(Gates next) {
    return next.equals(gates)
        ? this
        : new ControlLogState(
            nodes,
            epoch,
            plan,
            past,
            safePoint,
            snapshots,
            touching,
            sequential,
            next,
            coverage,
            serving);
  }

  private ControlLogState with(Coverage next) {
    return next.equals(coverage)
        ? this
        : new ControlLogState(
            nodes,
            epoch,
            plan,
            past,
            safePoint,
            snapshots,
            touching,
            sequential,
            gates,
            next,
            serving);
  }

  private ControlLogState with(ServingNodes next) {
    return next.equals(serving)
        ? this
        : new ControlLogState(
            nodes,
            epoch,
            plan,
            past,
            safePoint,
            snapshots,
            touching,
            sequential,
            gates,
            coverage,
            next);
  }

  private ControlLogState withPlan(Plan next) {
    return next.equals(plan)
        ? this
        : new ControlLogState(
            nodes,
            epoch,
            next,
            past,
            safePoint,
            snapshots,
            touching,
            sequential,
            gates,
            coverage,
            serving);
  }

  private ControlLogState withSnapshots(WholeSnapshots next) {
    return next.equals(snapshots)
        ? this
        : new ControlLogState(
            nodes,
            epoch,
            plan,
            past,
            safePoint,
            next,
            touching,
            sequential,
            gates,
            coverage,
            serving);
  }

  private ControlLogState resumed(Plan done, ControlRecord record) {
    PastPlan last = PastPlan.of(done, quietSince(done), record.getResume());
    PastPlan brought = done.operator().isUndo() ? pastPlan(done.operator().undoes()) : null;
    boolean isBack = brought != null && brought.branchEnd() == last.target();
    List<PastPlan> longer =
        Stream.concat(
                past.stream()
                    .skip(Math.max(0, past.size() + 1 - PAST_MAX))
                    .map(p -> isBack && p.clock() > last.target() ? p.asUndone() : p),
                Stream.of(last))
            .toList();
    // A plan that discarded no write does not count as a rollback of the violations it found.
    List<TouchingRollback> counting =
        touching.stream().filter(r -> !done.isGivenUp() || r.epoch() != done.epoch()).toList();
    return new ControlLogState(
        nodes,
        done.epoch(),
        null,
        longer,
        safePoint,
        snapshots,
        counting,
        record.getResume().getSequentialList().stream().map(SequentialSpan::of).toList(),
        gates
            .after(done)
            .withoutSettled(
                request ->
                    last.epoch() > request.epoch()
                        && last.settles(request.epoch(), request.violate())),
        coverage,
        serving.resumed(record.getAtMicros()));
  }
}

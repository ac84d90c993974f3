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
 * What the control log says so far, and nothing else: the same log gives the same journal.
 * Immutable.
 *
 * @param epoch the epoch in force: that of the last plan that was resumed, 0 before any
 * @param plan the open plan, which opens {@code epoch + 1}
 * @param past the latest plans, oldest first; enough to know what is covered, and what is frequent
 * @param safePoint the greatest safe point published
 * @param snapshots what a plan can go to when window-logs do not reach
 * @param touching the latest rollbacks by violations and what they were about, oldest first; the
 *     open plan's too, once it restores
 * @param gates what keeps violations from opening plans
 * @param sequential what the last {@code Resume} asks of clients, and remembers
 * @param coverage which coverage gaps are known, and which of them are acknowledged
 * @param serving which nodes serve the epoch of the latest plan
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
  /** Also the most rollbacks that {@code whenFrequent} can count. */
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

  /** The journal with one more record; the same object when the record has no effect. */
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
   * One that was replaced may ask for what a plan of the other has settled since, or its safe point
   * has passed: that was promised to stand.
   */
  private boolean isLate(ControlRecord record) {
    if (!record.getGate().hasAsked()) {
      return false;
    }
    long violate = record.getGate().getAsked().getViolate();
    return violate <= safePoint || isSettled(record.getEpoch(), violate);
  }

  /**
   * Of two orchestrators, one may approve what the other has rejected: the first answer counts. Of
   * a request that counts for late here nobody could, but in a log of before such ones did: all
   * nodes have carried that plan out.
   */
  private boolean isAnswerable(PlanOpened opened) {
    long approves = opened.getApproves();
    return approves == 0 || gates.request(approves) != null || approves > gates.lastNumber();
  }

  /**
   * A plan has taken back what happened at {@code hlc} in {@code ofEpoch}, or an operator has given
   * that up.
   */
  public boolean isSettled(long ofEpoch, long hlc) {
    return past.stream().anyMatch(p -> p.settles(ofEpoch, hlc));
  }

  /** The first of the plans that settle it, if none of them restored a cut before it; or null. */
  public @Nullable PastPlan keptBy(long ofEpoch, long hlc) {
    List<PastPlan> settling = past.stream().filter(p -> p.settles(ofEpoch, hlc)).toList();
    return settling.isEmpty() || !settling.stream().allMatch(PastPlan::keptAll)
        ? null
        : settling.get(0);
  }

  /** The newest plan that was abandoned, unless the safe point has passed it since; or null. */
  @Nullable PastPlan unclaimed() {
    for (int i = past.size() - 1; i >= 0; i--) {
      PastPlan plan = past.get(i);
      if (plan.abandoned()) {
        return safePoint < plan.clock() ? plan : null;
      }
    }
    return null;
  }

  /**
   * The open plan takes, or has been told to take, back what happened at {@code hlc}, and will not
   * bring it back: that an undo may do, and what an operator wants of some writes alone.
   */
  public boolean isBeingTakenBack(long ofEpoch, long hlc) {
    return plan != null
        && !plan.operator().isUndo()
        && !plan.operator().isOfSome()
        && !plan.phase().isBeforeRestore()
        && plan.attempt() > 0
        && plan.epoch() > ofEpoch
        && plan.target() < hlc;
  }

  /** The plan that took back what happened up to {@code hlc} and was not done by then, or null. */
  public @Nullable PastPlan takenBackAround(long hlc) {
    return takenBackAround(hlc, 0);
  }

  /** Like the other, of all plans but the one that opened {@code but}: it is to be undone. */
  public @Nullable PastPlan takenBackAround(long hlc, long but) {
    return past.stream().filter(p -> p.epoch() != but && p.isWithin(hlc)).findFirst().orElse(null);
  }

  /** The plan that opened {@code ofEpoch}, if it is remembered. */
  public @Nullable PastPlan pastPlan(long ofEpoch) {
    return past.stream().filter(p -> p.epoch() == ofEpoch).findFirst().orElse(null);
  }

  /**
   * The first cut at or after {@code hlc} that brings back nothing that a plan took back: right
   * after a plan the store is what it was at the plan's target.
   */
  public long notTakenBack(long hlc) {
    long cut = hlc;
    for (PastPlan plan : past) {
      cut = plan.isWithin(cut) ? plan.clock() : cut;
    }
    return cut;
  }

  /**
   * The earliest cut that is the same as the one at {@code hlc}, as if the plans that ended there
   * had not been; 0: there is none, the plan kept what it should have taken back.
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
   * Why the store at {@code hlc} is of no use, in one sentence with the nearest times that are:
   * some nodes are on this side of an undo then, and some may be on the other. Null: it is whole.
   */
  public @Nullable String halfUndoneAt(long hlc) {
    if (plan != null && plan.attempt() > 0 && quietSince(plan) < hlc) {
      return "the rollback to epoch %d is under way: the store can be had as it was up to %s, or when that is over"
          .formatted(plan.epoch(), Hlc.format(quietSince(plan)));
    }
    for (PastPlan done : past) {
      if (done.isHalfDoneAt(hlc)) {
        return "at time %s the store was half undone, by the rollback to epoch %d: it can be had as it was up to %s, and from %s on"
            .formatted(
                Hlc.format(hlc),
                done.epoch(),
                Hlc.format(done.quietSince()),
                Hlc.format(done.clock()));
      }
    }
    return null;
  }

  /** Whether the cut is the store of one epoch, and brings back nothing that a plan took back. */
  public boolean isWholeAt(long hlc) {
    return takenBackAround(hlc) == null && past.stream().noneMatch(p -> p.isHalfDoneAt(hlc));
  }

  /** The open plan's target is the cut of this snapshot. */
  public boolean isGoingTo(String snapshot) {
    SnapshotCut cut = plan == null ? null : plan.halts().fallback().snapshot();
    return cut != null && cut.id().equals(snapshot);
  }

  /** The newest plan that {@code predicate} caused and that ended in a restart, or null. */
  public @Nullable PastPlan lastRestart(String predicate) {
    return past.stream()
        .filter(p -> p.restarted() && p.predicate().equals(predicate))
        .reduce((older, newer) -> newer)
        .orElse(null);
  }

  /** A plan undoes nothing before the one before it is over, on no node. */
  private long quietSince(Plan some) {
    long over = past.isEmpty() ? 0 : past.get(past.size() - 1).clock();
    return Math.max(over, some.quietSince());
  }

  /**
   * It held in the state with which its epoch began: nodes open such intervals right after its
   * clock.
   */
  public boolean isFoundAtBeginning(Violation violation) {
    PastPlan opened = pastPlan(violation.getEpoch());
    return opened != null && violation.getViolate() <= opened.clock() + 1;
  }

  /** What the plan that opens, or opened, {@code ofEpoch} is about, if violations asked for it. */
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
    // One that has taken nothing back is no rollback by the violations that it found.
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

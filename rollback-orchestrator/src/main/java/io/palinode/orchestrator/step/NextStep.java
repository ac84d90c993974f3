package io.palinode.orchestrator.step;

import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.Fallback;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.Prolonged;
import io.palinode.orchestrator.plan.SnapshotCut;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Demand;
import io.palinode.wire.v1.AtKey;
import io.palinode.wire.v1.Cancel;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Scope;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.StoreKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The next step of the protocol, as a function of the state alone. A restarted orchestrator
 * therefore decides an unwritten step again in the same way.
 */
public final class NextStep {
  private final MachineState state;
  private final Plan plan;
  private final PlanRecords records;

  private NextStep(MachineState state, Plan plan) {
    this.state = state;
    this.plan = plan;
    this.records = new PlanRecords(state, plan);
  }

  /** Null while the protocol waits. */
  static @Nullable ControlRecord of(MachineState state) {
    Plan plan = state.log().plan();
    if (plan == null) {
      return openPlan(state);
    }
    if (PlanExit.isDue(plan)) {
      return new PlanExit(state, plan).next();
    }
    NextStep next = new NextStep(state, plan);
    return switch (plan.phase()) {
      case OPENED -> next.records.step().setPause(Pause.getDefaultInstance()).build();
      case PAUSING -> next.afterPause();
      case RESTORING -> next.afterRestore();
      case CONVERGING -> next.afterConverge();
      case HALTED -> null;
    };
  }

  /**
   * The HLC that the plan restores if it restores now. Before the first restore, violations can
   * move it back, but not before the safe point, except by an operator's request. A safe point of a
   * killed orchestrator can arrive after the target was chosen.
   */
  static long target(MachineState state, Plan plan) {
    if (!plan.phase().isBeforeRestore() || plan.isKept()) {
      return plan.target();
    }
    long target = plan.target();
    for (Demand demand : Admission.admitted(state, plan)) {
      target = Math.min(target, demand.target());
    }
    return Math.max(target, floor(state, plan));
  }

  /** The safe point, or an operator's earlier target. */
  private static long floor(MachineState state, Plan plan) {
    return plan.operator().isByHand()
        ? Math.min(plan.target(), state.safePoint())
        : state.safePoint();
  }

  private static @Nullable ControlRecord openPlan(MachineState state) {
    long epoch = state.log().epoch();
    Demand all =
        state
            .found()
            .demandsBefore(epoch + 1)
            .filter(demand -> Admission.isFree(state, demand))
            .reduce(Demand::fold)
            .orElse(null);
    if (all == null) {
      return GateAnswer.toViolations(state);
    }
    PlanOpened opened =
        PlanOpened.newBuilder()
            .addAllViolationIds(all.ids())
            .setPredicate(all.predicate())
            .setTarget(all.target())
            .setReason("violation at " + PointInTime.format(all.violate()))
            .build();
    return ControlRecord.newBuilder()
        .setEpoch(epoch + 1)
        .setAtMicros(state.nowMicros())
        .setPlanOpened(opened)
        .build();
  }

  /**
   * The record that opens an operator's plan, with all violations that wait for one.
   *
   * @throws RefusedException if no plan can be opened now, or its target cannot be restored
   */
  public static ControlRecord onRequest(MachineState state, RollbackRequest request)
      throws RefusedException {
    Plan open = state.log().plan();
    if (open != null) {
      throw new RefusedException("rollback %d is under way: one at a time".formatted(open.epoch()));
    }
    long epoch = state.log().epoch();
    PlanOpened.Builder opened = request.opened(state);
    state
        .found()
        .demandsBefore(epoch + 1)
        .filter(demand -> Admission.isFree(state, demand))
        .forEach(
            demand ->
                opened
                    .addAllViolationIds(demand.ids())
                    .setTarget(Math.min(opened.getTarget(), demand.target())));
    return ControlRecord.newBuilder()
        .setEpoch(epoch + 1)
        .setAtMicros(state.nowMicros())
        .setPlanOpened(opened)
        .build();
  }

  private @Nullable ControlRecord afterPause() {
    if (plan.operator().comparesAll() && plan.isCancellable() && !plan.isCancelled()) {
      return records.step().setCancel(Cancel.getDefaultInstance()).build();
    }
    boolean allPaused = plan.ackedByAll(state.settings().nodes());
    if (plan.isAbandoned()) {
      return allPaused ? records.keep(plan.target()) : null;
    }
    if (plan.isCancelled()) {
      // All writes stand, so all of them are judged before their epoch ends.
      return allPaused && isJudged(plan.clock()) ? records.keep(plan.clock()) : null;
    }
    if (plan.isRestarted()) {
      // The plan was halted and is retried: nodes keep their data, whatever the target is.
      return allPaused ? records.restart(plan.target(), "programs must restart") : null;
    }
    long target = target(state, plan);
    SnapshotRef wanted = plan.operator().snapshot();
    return wanted == null ? toTarget(target, allPaused) : toSnapshot(wanted, target, allPaused);
  }

  /**
   * The first restore of an operator's plan to a snapshot. If a violation has moved the target
   * before the snapshot's cut, the window-logs restore it.
   */
  private @Nullable ControlRecord toSnapshot(SnapshotRef wanted, long target, boolean allPaused) {
    if (state.log().snapshots().whole(wanted) == null) {
      return records.halt(
          "snapshot '%s' was deleted or moved: %s ends the rollback"
              .formatted(
                  wanted.getId(),
                  (plan.isCancellable()
                          ? "'palinode rollback cancel %d'"
                          : "'palinode rollback abandon %d'")
                      .formatted(plan.epoch())));
    }
    SnapshotCut cut = Unreachable.asked(state, plan, target);
    if (cut == null) {
      return toTarget(target, allPaused);
    }
    return allPaused && isJudged(cut.hlc()) ? records.restore(cut, "") : null;
  }

  /** The first restore by the window-logs, or what the plan does instead; null while it waits. */
  private @Nullable ControlRecord toTarget(long target, boolean allPaused) {
    String why = whyNot(target);
    if (why != null && plan.operator().isOfSome()) {
      return allPaused && isJudged(plan.clock()) && mayGiveUp(plan) ? giveUp(why) : null;
    }
    if (why != null) {
      return instead(target, why);
    }
    // A reinstating plan may discard nothing, and a plan for some writes keeps all others. Writes
    // that stand have to be judged.
    boolean mayStand =
        plan.operator().isUndo()
            || plan.operator().isOfSome()
            || AffectedScope.isWanted(state, plan);
    long stands = mayStand ? Math.max(target, plan.clock()) : target;
    return allPaused && isJudged(stands) ? firstRestore(target) : null;
  }

  /** Why the target cannot be restored; null: it can. */
  private @Nullable String whyNot(long target) {
    if (plan.reachMax() > target) {
      return plan.outOfReach(target);
    }
    PastPlan earlier = state.log().plans().discardedAround(target, plan.operator().undoes());
    return earlier == null ? null : amidEarlier(earlier, target);
  }

  /**
   * Whether an unrestored plan can end. A node restarted after its pause must first report its new
   * reach.
   */
  private static boolean mayGiveUp(Plan plan) {
    return plan.attempt() > 0 || plan.reachMax() <= plan.clock();
  }

  private ControlRecord firstRestore(long target) {
    AffectedScope affected = AffectedScope.of(state, plan, target);
    if (plan.operator().isOfSome() && affected.scope() == null) {
      return giveUp(affected.why());
    }
    ControlRecord all = records.restore(target, affected.why());
    Scope scope = affected.scope();
    return scope == null
        ? all
        : all.toBuilder()
            .setRestore(all.getRestore().toBuilder().setAffected(scope).clearSinceFrom())
            .build();
  }

  /**
   * Ends an operator's plan for some writes that cannot be undone alone: no write is undone.
   * Violations found meanwhile open the next plan.
   */
  private ControlRecord giveUp(String why) {
    long before = plan.attempt() == 0 ? plan.clock() : plan.branchEnd();
    if (before == 0) {
      return records.halt(
          "%s; and a node's clock was too far behind for one cut before the rollback"
              .formatted(why.isEmpty() ? "only some cannot be undone" : why));
    }
    Restore nothing = records.restore(before, why).getRestore();
    return records.step().setRestore(nothing.toBuilder().clearTouched().clearSinceFrom()).build();
  }

  /**
   * Whether all violations up to {@code hlc} are known. One that waits for its predicate may be
   * earlier.
   */
  private boolean isJudged(long hlc) {
    return state.found().judged() >= hlc && state.found().waiting().isEmpty();
  }

  private @Nullable ControlRecord afterRestore() {
    if (!plan.failure().isEmpty()) {
      return afterFailure();
    }
    return plan.ackedByAll(state.settings().nodes()) ? records.converge() : null;
  }

  private @Nullable ControlRecord afterFailure() {
    Fallback tried = plan.halts().fallback();
    if (plan.affected().ofSome()) {
      return allOf(plan.failure());
    }
    if (plan.isKept()) {
      return tried.tooLarge() ? records.keepAll() : records.halt(plan.failure());
    }
    long latest = tried.snapshot() == null ? plan.target() : plan.target() - 1;
    return instead(latest, plan.failure());
  }

  /**
   * The step for a target that cannot be restored, by the predicate's policy; null while it waits.
   * {@code latest} is the latest cut that may be restored.
   */
  private @Nullable ControlRecord instead(long latest, String why) {
    Unreachable.Way way = Unreachable.of(state, plan, latest, why);
    SnapshotCut cut = way.snapshot();
    if (way.kind() == Unreachable.Kind.HALT) {
      return records.halt(way.why());
    }
    if (!plan.hasPaused(state.settings().nodes())) {
      return null;
    }
    if (cut == null) {
      return records.restart(plan.phase().isBeforeRestore() ? latest : plan.target(), way.why());
    }
    return isJudged(latest) ? records.restore(cut, Unreachable.text(cut, way.why())) : null;
  }

  private @Nullable ControlRecord afterConverge() {
    if (!plan.failure().isEmpty()) {
      return afterFailure();
    }
    if (!plan.ackedByAll(state.settings().nodes())) {
      return null;
    }
    StoreKey rest = plan.halts().fallback().rest();
    if (rest != null) {
      return records.nextRound(rest);
    }
    if (plan.isKept() || plan.isGivenUp()) {
      return plan.isRestarted() ? resumeRestart() : resume();
    }
    List<CutCheck.Instance> violated = violated(plan.target());
    if (plan.affected().ofSome()) {
      return afterConverge(violated);
    }
    return violated.isEmpty() ? resume() : stepBack(violated);
  }

  /** The step if the undo of only some writes is not enough. */
  private ControlRecord allOf(String why) {
    return plan.operator().isOfSome() ? giveUp(why) : records.restore(plan.target(), why);
  }

  /** The step after an undo of only some writes: a resume, or an undo of all. */
  private ControlRecord afterConverge(List<CutCheck.Instance> violated) {
    if (!violated.isEmpty()) {
      return allOf(violated.get(0) + " holds with the standing writes");
    }
    AtKey prolonged = Prolonged.first(plan.affected(), state.policies());
    return prolonged == null
        ? resume()
        : allOf(
            "an interval of predicate=%s binding=%s continues, and later intervals were not judged with it"
                .formatted(prolonged.getPredicate(), prolonged.getBinding()));
  }

  /**
   * The step if the restored cut is a violation: the next target of {@link StepBack}. At the safe
   * point, the plan takes the policy's way, or the instances stand.
   */
  private @Nullable ControlRecord stepBack(List<CutCheck.Instance> all) {
    CutCheck.Instance violated = all.get(0);
    String still = violated + " still holds at " + PointInTime.format(plan.target());
    Policy policy = state.policies().get(violated.predicate());
    boolean mayStand = policy != null && policy.isGated();
    if (plan.halts().fallback().snapshot() != null) {
      return mayStand ? resume() : instead(plan.target() - 1, still);
    }
    if (plan.operator().isUndo() && plan.attempt() == 1 && plan.branchEnd() > 0) {
      // The discarded writes are a violation, so they stay discarded and the latest data is kept.
      return records.restore(plan.branchEnd(), still);
    }
    StepBack back = StepBack.of(state, plan, all);
    if (mayStand && (back.isAtFloor() || back.isOverMax())) {
      return resume();
    }
    if (back.isAtFloor()) {
      String why = still + " and nothing before can be restored";
      return back.isAtSafePoint() && Unreachable.halts(state, plan, why)
          ? GateAnswer.lettingStand(state, plan, all)
          : instead(plan.target() - 1, why);
    }
    if (plan.operator().isByHand() && !back.isKnown()) {
      // The earliest cut in reach is minutes away: a person decides.
      return records.halt(still + ", and no node knows since when");
    }
    return back.isOverMax()
        ? records.halt(still + " after attempts=" + plan.attempt())
        : records.restore(back.target(), still);
  }

  /** Resumes after a restart. Programs must repair violations of the kept cut, so these stand. */
  private ControlRecord resumeRestart() {
    List<CutCheck.Instance> violated = violated(plan.clock());
    return violated.isEmpty() ? resume() : GateAnswer.lettingStand(state, plan, violated);
  }

  private List<CutCheck.Instance> violated(long hlc) {
    ControlLogState log = state.log();
    return CutCheck.violated(
        plan.holding(), hlc, state.policies(), log.gates(), log.frequent().of(plan.epoch()));
  }

  private ControlRecord resume() {
    ControlRecord ended = GateAnswer.holdingNoMore(state, plan);
    if (ended != null) {
      // Once that record is read, the step is decided again.
      return ended;
    }
    return records.resume();
  }

  /**
   * Why the target fails. Nodes tick past a plan's clock, so the cause is a clock that is too far
   * ahead.
   */
  private static String amidEarlier(PastPlan earlier, long target) {
    return "target %s is before epoch %d began everywhere (%s): check the clocks of all nodes"
        .formatted(
            PointInTime.format(target), earlier.epoch(), PointInTime.format(earlier.clock()));
  }
}

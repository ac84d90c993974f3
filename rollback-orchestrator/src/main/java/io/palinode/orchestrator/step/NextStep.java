package io.palinode.orchestrator.step;

import io.palinode.hvc.Hlc;
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
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.wire.v1.AtKey;
import io.palinode.wire.v1.Cancel;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Scope;
import io.palinode.wire.v1.StoreKey;
import io.palinode.wire.v1.Touched;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The next step of the protocol, as a function of the state alone. A restarted orchestrator
 * therefore decides an unwritten step again in the same way.
 */
public final class NextStep {
  /** The bytes that nodes exchange at once when they compare all keys; each node holds them. */
  private static final long ROUND_BYTES = 32L << 20;

  private final MachineState state;

  private NextStep(MachineState state) {
    this.state = state;
  }

  /** Null while the protocol waits. */
  static @Nullable ControlRecord of(MachineState state) {
    NextStep next = new NextStep(state);
    Plan plan = state.log().plan();
    if (plan == null) {
      return next.openPlan();
    }
    if (PlanExit.isDue(plan)) {
      return new PlanExit(state, plan).next();
    }
    return switch (plan.phase()) {
      case OPENED -> next.step(plan).setPause(Pause.getDefaultInstance()).build();
      case PAUSING -> next.afterPause(plan);
      case RESTORING -> next.afterRestore(plan);
      case CONVERGING -> next.afterConverge(plan);
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
    for (Demand demand : admitted(state, plan)) {
      target = Math.min(target, demand.target());
    }
    return Math.max(target, floor(state, plan));
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
    return Admission.of(state, demand) == Admission.Verdict.FREE;
  }

  /** The safe point, or an operator's earlier target. */
  private static long floor(MachineState state, Plan plan) {
    return plan.operator().isByHand()
        ? Math.min(plan.target(), state.safePoint())
        : state.safePoint();
  }

  private @Nullable ControlRecord openPlan() {
    long epoch = state.log().epoch();
    Demand all =
        state
            .found()
            .demandsBefore(epoch + 1)
            .filter(demand -> isFree(state, demand))
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
            .setReason("violation at " + Hlc.format(all.violate()))
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
        .filter(demand -> isFree(state, demand))
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

  private @Nullable ControlRecord afterPause(Plan plan) {
    if (plan.operator().comparesAll() && plan.isCancellable() && !plan.isCancelled()) {
      return step(plan).setCancel(Cancel.getDefaultInstance()).build();
    }
    boolean allPaused = plan.ackedByAll(state.settings().nodes());
    if (plan.isAbandoned()) {
      return allPaused ? keep(plan, plan.target()) : null;
    }
    if (plan.isCancelled()) {
      // All writes stand, so all of them are judged before their epoch ends.
      return allPaused && isJudged(plan.clock()) ? keep(plan, plan.clock()) : null;
    }
    if (plan.isRestarted()) {
      // The plan was halted and is retried: nodes keep their data, whatever the target is.
      return allPaused ? restart(plan, plan.target(), "programs must restart") : null;
    }
    long target = target(state, plan);
    String why = whyNot(plan, target);
    if (why != null && plan.operator().isOfSome()) {
      return allPaused && isJudged(plan.clock()) && mayGiveUp(plan) ? giveUp(plan, why) : null;
    }
    if (why != null) {
      return instead(plan, target, why);
    }
    // A reinstating plan may discard nothing, and a plan for some writes keeps all others. Writes
    // that stand have to be judged.
    boolean mayStand =
        plan.operator().isUndo()
            || plan.operator().isOfSome()
            || AffectedScope.isWanted(state, plan);
    long stands = mayStand ? Math.max(target, plan.clock()) : target;
    return allPaused && isJudged(stands) ? firstRestore(plan, target) : null;
  }

  /** Why the target cannot be restored; null: it can. */
  private @Nullable String whyNot(Plan plan, long target) {
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

  private ControlRecord firstRestore(Plan plan, long target) {
    AffectedScope affected = AffectedScope.of(state, plan, target);
    if (plan.operator().isOfSome() && affected.scope() == null) {
      return giveUp(plan, affected.why());
    }
    ControlRecord all = restore(plan, target, affected.why());
    Scope scope = affected.scope();
    return scope == null
        ? all
        : all.toBuilder().setRestore(all.getRestore().toBuilder().setAffected(scope)).build();
  }

  /**
   * Ends an operator's plan for some writes that cannot be undone alone: no write is undone.
   * Violations found meanwhile open the next plan.
   */
  private ControlRecord giveUp(Plan plan, String why) {
    long before = plan.attempt() == 0 ? plan.clock() : plan.branchEnd();
    if (before == 0) {
      return halt(
          plan,
          "%s; and a node's clock was too far behind for one cut before the rollback"
              .formatted(why.isEmpty() ? "only some cannot be undone" : why));
    }
    Restore nothing = restore(plan, before, why).getRestore();
    return step(plan).setRestore(nothing.toBuilder().clearTouched()).build();
  }

  /**
   * Whether all violations up to {@code hlc} are known. One that waits for its predicate may be
   * earlier.
   */
  private boolean isJudged(long hlc) {
    return state.found().judged() >= hlc && state.found().waiting().isEmpty();
  }

  private @Nullable ControlRecord afterRestore(Plan plan) {
    if (!plan.failure().isEmpty()) {
      return afterFailure(plan);
    }
    return plan.ackedByAll(state.settings().nodes())
        ? step(plan).setConverge(Converge.newBuilder().setAttempt(plan.attempt())).build()
        : null;
  }

  private @Nullable ControlRecord afterFailure(Plan plan) {
    Fallback tried = plan.halts().fallback();
    if (plan.affected().ofSome()) {
      return allOf(plan, plan.failure());
    }
    if (plan.isKept()) {
      return tried.tooLarge() ? keepAll(plan) : halt(plan, plan.failure());
    }
    long latest = tried.snapshot() == null ? plan.target() : plan.target() - 1;
    return instead(plan, latest, plan.failure());
  }

  /**
   * The step for a target that cannot be restored, by the predicate's policy; null while it waits.
   * {@code latest} is the latest cut that may be restored.
   */
  private @Nullable ControlRecord instead(Plan plan, long latest, String why) {
    Unreachable.Way way = Unreachable.of(state, plan, latest, why);
    SnapshotCut cut = way.snapshot();
    if (way.kind() == Unreachable.Kind.HALT) {
      return halt(plan, way.why());
    }
    if (!plan.hasPaused(state.settings().nodes())) {
      return null;
    }
    if (cut == null) {
      return restart(plan, plan.phase().isBeforeRestore() ? latest : plan.target(), way.why());
    }
    return isJudged(latest) ? restore(plan, cut, Unreachable.text(cut, way.why())) : null;
  }

  private @Nullable ControlRecord afterConverge(Plan plan) {
    if (!plan.failure().isEmpty()) {
      return afterFailure(plan);
    }
    if (!plan.ackedByAll(state.settings().nodes())) {
      return null;
    }
    StoreKey rest = plan.halts().fallback().rest();
    if (rest != null) {
      return nextRound(plan, rest);
    }
    if (plan.isKept() || plan.isGivenUp()) {
      return plan.isRestarted() ? resumeRestart(plan) : resume(plan);
    }
    List<CutCheck.Instance> violated = violated(plan, plan.target());
    if (plan.affected().ofSome()) {
      return afterConverge(plan, violated);
    }
    return violated.isEmpty() ? resume(plan) : stepBack(plan, violated);
  }

  /** The step if the undo of only some writes is not enough. */
  private ControlRecord allOf(Plan plan, String why) {
    return plan.operator().isOfSome() ? giveUp(plan, why) : restore(plan, plan.target(), why);
  }

  /** The step after an undo of only some writes: a resume, or an undo of all. */
  private ControlRecord afterConverge(Plan plan, List<CutCheck.Instance> violated) {
    if (!violated.isEmpty()) {
      return allOf(plan, violated.get(0) + " holds with the standing writes");
    }
    AtKey prolonged = Prolonged.first(plan.affected(), state.policies());
    return prolonged == null
        ? resume(plan)
        : allOf(
            plan,
            "an interval of predicate=%s binding=%s continues, and later intervals were not judged with it"
                .formatted(prolonged.getPredicate(), prolonged.getBinding()));
  }

  /**
   * The step if the restored cut is a violation: the next target of {@link StepBack}. At the safe
   * point, the plan takes the policy's way, or the instances stand.
   */
  private @Nullable ControlRecord stepBack(Plan plan, List<CutCheck.Instance> all) {
    CutCheck.Instance violated = all.get(0);
    String still = violated + " still holds at " + Hlc.format(plan.target());
    Policy policy = state.policies().get(violated.predicate());
    boolean mayStand = policy != null && policy.isGated();
    if (plan.halts().fallback().snapshot() != null) {
      return mayStand ? resume(plan) : instead(plan, plan.target() - 1, still);
    }
    if (plan.operator().isUndo() && plan.attempt() == 1 && plan.branchEnd() > 0) {
      // The discarded writes are a violation, so they stay discarded and the latest data is kept.
      return restore(plan, plan.branchEnd(), still);
    }
    StepBack back = StepBack.of(state, plan);
    if (mayStand && (back.isAtFloor() || back.isOverMax())) {
      return resume(plan);
    }
    if (back.isAtFloor()) {
      String why = still + " and nothing before can be restored";
      return back.isAtSafePoint() && Unreachable.halts(state, plan, why)
          ? GateAnswer.lettingStand(state, plan, all)
          : instead(plan, plan.target() - 1, why);
    }
    return back.isOverMax()
        ? halt(plan, still + " after attempts=" + plan.attempt())
        : restore(plan, back.target(), still);
  }

  /** Resumes after a restart. Programs must repair violations of the kept cut, so these stand. */
  private ControlRecord resumeRestart(Plan plan) {
    List<CutCheck.Instance> violated = violated(plan, plan.clock());
    return violated.isEmpty() ? resume(plan) : GateAnswer.lettingStand(state, plan, violated);
  }

  private List<CutCheck.Instance> violated(Plan plan, long hlc) {
    ControlLogState log = state.log();
    return CutCheck.violated(
        plan.holding(), hlc, state.policies(), log.gates(), log.frequent().of(plan.epoch()));
  }

  private ControlRecord resume(Plan plan) {
    ControlRecord ended = GateAnswer.holdingNoMore(state, plan);
    if (ended != null) {
      // Once that record is read, the step is decided again.
      return ended;
    }
    return resumed(state, plan);
  }

  /** The record that ends the plan. */
  static ControlRecord resumed(MachineState state, Plan plan) {
    List<SequentialSpan> sequential = AntiStall.after(state, plan);
    Resume.Builder resume =
        Resume.newBuilder()
            .setTarget(plan.target())
            .setSequentialUntilMicros(
                sequential.stream()
                    .filter(SequentialSpan::isAll)
                    .mapToLong(SequentialSpan::untilMicros)
                    .max()
                    .orElse(0))
            .addAllSequential(sequential.stream().map(SequentialSpan::toProto).toList())
            .setClock(Math.max(plan.clock(), plan.target()))
            .setAttempt(plan.attempt())
            .setRestart(plan.isRestarted())
            .setAsIs(plan.halts().ending().asIs());
    Concerned concerned = plan.affected().concerned();
    if (concerned != null) {
      resume.setConcerned(concerned);
    }
    return new NextStep(state).step(plan).setResume(resume).build();
  }

  private ControlRecord restore(Plan plan, long target, String reason) {
    return step(plan)
        .setRestore(
            Restore.newBuilder()
                .setAttempt(plan.attempt() + 1)
                .setTarget(target)
                .setPast(plan.clock())
                .setReason(reason)
                .addAllTouched(plan.attempt() == 0 ? touched(plan) : List.of()))
        .build();
  }

  /** A restore by all nodes' parts of a snapshot. No node can name the keys that differ then. */
  private ControlRecord restore(Plan plan, SnapshotCut cut, String reason) {
    Restore.Builder restore = restore(plan, cut.hlc(), reason).getRestore().toBuilder();
    return step(plan)
        .setRestore(restore.setSnapshot(cut.toMessage()).setWhole(true).setRoundBytes(ROUND_BYTES))
        .build();
  }

  /** Continues a comparison that did not fit into one attempt. */
  private ControlRecord nextRound(Plan plan, StoreKey rest) {
    Restore.Builder next =
        Restore.newBuilder()
            .setAttempt(plan.attempt() + 1)
            .setTarget(plan.target())
            .setPast(plan.clock())
            .setKeep(plan.isKept())
            .setRestart(plan.isRestarted())
            .setWhole(true)
            .setRoundBytes(ROUND_BYTES)
            .setFromSlice(rest);
    SnapshotCut cut = plan.halts().fallback().snapshot();
    if (cut != null) {
      next.setSnapshot(cut.toMessage());
    }
    return step(plan).setRestore(next).build();
  }

  private ControlRecord restart(Plan plan, long target, String reason) {
    Restore.Builder keep = keep(plan, target).getRestore().toBuilder();
    // Some nodes may have restored before: they return to the data before that attempt.
    return step(plan)
        .setRestore(keep.setRestart(true).setReason(reason).setPast(plan.branchEnd()))
        .build();
  }

  private List<Touched> touched(Plan plan) {
    return TouchingRollback.bounded(
        Stream.concat(
            plan.operator().touches().stream(),
            admitted(state, plan).stream().flatMap(demand -> demand.touches().stream())));
  }

  /**
   * Keeps the data. All keys are compared if a node cannot name the keys changed since the target.
   * If all writes stand, nodes restarted since the first pause cannot either.
   */
  private ControlRecord keep(Plan plan, long target) {
    long known = plan.isCancelled() ? Math.min(target, plan.quietSince()) : target;
    boolean isForgotten = plan.reachMax() > known;
    boolean isUnknown =
        isForgotten || plan.halts().fallback().triedSnapshot() || plan.operator().comparesAll();
    return step(plan)
        .setRestore(
            Restore.newBuilder()
                .setAttempt(plan.attempt() + 1)
                .setTarget(target)
                .setKeep(true)
                .setWhole(isUnknown)
                .setRoundBytes(ROUND_BYTES)
                .setRestart(plan.isRestarted()))
        .build();
  }

  /** Keeps the data and compares all keys, in slices. For nodes with too many changed keys. */
  private ControlRecord keepAll(Plan plan) {
    Restore.Builder keep = keep(plan, plan.target()).getRestore().toBuilder();
    if (keep.getRestart()) {
      keep.setPast(plan.branchEnd());
    }
    return step(plan)
        .setRestore(keep.setWhole(true).setRoundBytes(ROUND_BYTES).setReason(plan.failure()))
        .build();
  }

  private ControlRecord halt(Plan plan, String reason) {
    return step(plan).setHalted(PlanExit.halted(plan, reason)).build();
  }

  /**
   * Why the target fails. Nodes tick past a plan's clock, so the cause is a clock that is too far
   * ahead.
   */
  private static String amidEarlier(PastPlan earlier, long target) {
    return "target %s is before epoch %d began everywhere (%s): check the clocks of all nodes"
        .formatted(Hlc.format(target), earlier.epoch(), Hlc.format(earlier.clock()));
  }

  private ControlRecord.Builder step(Plan plan) {
    return ControlRecord.newBuilder().setEpoch(plan.epoch()).setAtMicros(state.nowMicros());
  }
}

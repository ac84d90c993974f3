package io.palinode.orchestrator.step;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.SnapshotCut;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.wire.v1.SnapshotRef;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of a plan whose target some node cannot restore. Decided from the control log and the
 * policy alone, so a second decision is the same.
 *
 * <p>The snapshot is the newest that is not after the target, is complete on all nodes, and holds
 * no write that an earlier plan discarded. It may be before the safe point. A restart discards no
 * write, so its cut may still be a violation and open another plan. That plan halts if the first
 * restart was recent.
 */
public final class Unreachable {
  /** A second restart for one predicate within this time halts instead. */
  static final Duration RESTART_QUIET = Duration.ofMinutes(10);

  private Unreachable() {}

  /** The ways. */
  enum Kind {
    HALT,
    SNAPSHOT,
    RESTART
  }

  /**
   * A decision.
   *
   * @param snapshot to restore; null: none
   * @param why the reason, for operators
   */
  record Way(Kind kind, @Nullable SnapshotCut snapshot, String why) {}

  /**
   * The way of this plan.
   *
   * @param latest the latest cut that may be restored
   * @param why the target cannot be restored
   */
  static Way of(MachineState state, Plan plan, long latest, String why) {
    return switch (policy(state, plan)) {
      case HALT -> new Way(Kind.HALT, null, why);
      case NEAREST_SNAPSHOT -> nearest(state, plan, latest, why);
      case RESTART -> restart(state, plan, why);
    };
  }

  /**
   * The snapshot of an operator's plan; null: none, or it is not complete any more, or a violation
   * has moved the target before its cut.
   */
  static @Nullable SnapshotCut asked(MachineState state, Plan plan, long target) {
    SnapshotRef wanted = plan.operator().snapshot();
    SnapshotCut cut = wanted == null ? null : state.log().snapshots().whole(wanted);
    return cut == null || target < cut.hlc() ? null : cut;
  }

  /** Whether a plan that failed at its target can only halt. */
  static boolean halts(MachineState state, Plan plan, String why) {
    return of(state, plan, plan.target() - 1, why).kind() == Kind.HALT;
  }

  /** Whether a plan for this request could do more than halt. */
  public static boolean hasWay(MachineState state, ApprovalRequest request) {
    return switch (policy(state, request.predicate())) {
      case HALT -> false;
      case NEAREST_SNAPSHOT -> newest(state.log(), request.target()) != null;
      case RESTART -> true;
    };
  }

  /**
   * The policy of the plan. An operator's plan halts. So does a plan of several predicates with
   * different policies, as each excludes the others.
   */
  private static OnUnreachable policy(MachineState state, Plan plan) {
    if (plan.operator().isByHand()) {
      return OnUnreachable.HALT;
    }
    List<OnUnreachable> wanted =
        Admission.predicates(state, plan).map(name -> policy(state, name)).distinct().toList();
    return wanted.size() == 1 ? wanted.get(0) : OnUnreachable.HALT;
  }

  private static OnUnreachable policy(MachineState state, String predicate) {
    Policy policy = state.policies().get(predicate);
    OnViolation action = policy == null ? null : policy.onViolation();
    return action == null ? OnUnreachable.HALT : action.rollbacks().onUnreachable();
  }

  private static @Nullable SnapshotCut newest(ControlLogState log, long latest) {
    return log.snapshots().standing().values().stream()
        .filter(cut -> cut.hlc() <= latest)
        .filter(cut -> log.plans().isWholeAt(cut.hlc()))
        .max(Comparator.comparingLong(SnapshotCut::hlc).thenComparing(SnapshotCut::id))
        .orElse(null);
  }

  private static Way nearest(MachineState state, Plan plan, long latest, String why) {
    SnapshotCut newest = newest(state.log(), latest);
    if (newest == null) {
      return new Way(Kind.HALT, null, why + "; no whole snapshot before it can be restored");
    }
    return plan.attemptsOfThisTry() >= state.settings().attemptsMax()
        ? new Way(Kind.HALT, null, why + " after attempts=" + plan.attempt())
        : new Way(Kind.SNAPSHOT, newest, why);
  }

  private static Way restart(MachineState state, Plan plan, String why) {
    PastPlan last = state.log().plans().lastRestart(plan.predicate());
    // Counted from the begin of the last epoch: programs had no more time than since then.
    long sinceMicros =
        last == null ? Long.MAX_VALUE : plan.openedMicros() - Hlc.micros(last.clock());
    return last == null || sinceMicros >= RollbackSettings.micros(RESTART_QUIET)
        ? new Way(Kind.RESTART, null, why)
        : new Way(
            Kind.HALT,
            null,
            "%s; programs were restarted in epoch %d, %d s before, and are not restarted again within %d s"
                .formatted(why, last.epoch(), sinceMicros / 1_000_000, RESTART_QUIET.toSeconds()));
  }

  /** The reason of a restore from a snapshot, in one sentence. */
  static String text(SnapshotCut cut, String why) {
    return "%s; restores snapshot %s, of %s"
        .formatted(why, cut.id(), PointInTime.format(cut.hlc()));
  }
}

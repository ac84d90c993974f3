package io.palinode.orchestrator.step;

import io.palinode.hvc.Hlc;
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
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a plan does when some node cannot restore its target: from the control log and the
 * predicate's policy alone, so that whoever decides it again decides the same.
 *
 * <p>A snapshot is chosen for its cut: the newest that is not after the target, that all nodes have
 * whole, and that brings back nothing which an earlier plan took back or gave up. It may be before
 * the safe point. A restart takes nothing back; so the state may still be a violation, and what
 * comes of that is another plan. It halts when the first was not long ago.
 */
public final class Unreachable {
  /** A second restart for one predicate within this time halts instead. */
  static final Duration RESTART_QUIET = Duration.ofMinutes(10);

  private Unreachable() {}

  /** What is done. */
  enum Kind {
    HALT,
    SNAPSHOT,
    RESTART
  }

  /**
   * A decision.
   *
   * @param snapshot to go to; null when none is
   * @param why the reason, for people
   */
  record Way(Kind kind, @Nullable SnapshotCut snapshot, String why) {}

  /**
   * @param latest no cut after this will do
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
   * Whether no other way than {@link Kind#HALT} is open to a plan that has failed at its target.
   */
  static boolean halts(MachineState state, Plan plan, String why) {
    return of(state, plan, plan.target() - 1, why).kind() == Kind.HALT;
  }

  /** Whether a plan for what waits would do anything but halt. */
  public static boolean hasWay(MachineState state, ApprovalRequest request) {
    return switch (policy(state, request.predicate())) {
      case HALT -> false;
      case NEAREST_SNAPSHOT -> newest(state.log(), request.target()) != null;
      case RESTART -> true;
    };
  }

  /**
   * An operator's own plan goes where it was meant to go, or waits for another word. So does one of
   * several predicates that do not want the same: each of the other ways is what one of them
   * excludes.
   */
  private static OnUnreachable policy(MachineState state, Plan plan) {
    if (plan.operator().isByHand()) {
      return OnUnreachable.HALT;
    }
    List<OnUnreachable> wanted =
        NextStep.predicates(state, plan).map(name -> policy(state, name)).distinct().toList();
    return wanted.size() == 1 ? wanted.get(0) : OnUnreachable.HALT;
  }

  private static OnUnreachable policy(MachineState state, String predicate) {
    Policy policy = state.policies().get(predicate);
    OnViolation action = policy == null ? null : policy.onViolation();
    return action == null ? OnUnreachable.HALT : action.onUnreachable();
  }

  private static @Nullable SnapshotCut newest(ControlLogState log, long latest) {
    return log.snapshots().standing().values().stream()
        .filter(cut -> cut.hlc() <= latest)
        .filter(cut -> log.isWholeAt(cut.hlc()))
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
    PastPlan last = state.log().lastRestart(plan.predicate());
    // From when the last epoch began: however long that plan took, programs had no more time.
    long sinceMicros =
        last == null ? Long.MAX_VALUE : plan.openedMicros() - Hlc.micros(last.clock());
    return last == null || sinceMicros >= RollbackSettings.micros(RESTART_QUIET)
        ? new Way(Kind.RESTART, null, why)
        : new Way(
            Kind.HALT,
            null,
            "%s; programs were told to begin anew in epoch %d, %d s before, and are not told so again within %d s"
                .formatted(why, last.epoch(), sinceMicros / 1_000_000, RESTART_QUIET.toSeconds()));
  }

  /** In one sentence. */
  static String text(SnapshotCut cut, String why) {
    return "%s: so it goes to snapshot %s, of %s".formatted(why, cut.id(), Hlc.format(cut.hlc()));
  }
}

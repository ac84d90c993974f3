package io.palinode.orchestrator.step;

import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.Cancel;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Retry;
import java.util.Set;
import java.util.TreeSet;

/** The records by which an operator ends a plan, in every phase. */
public final class OperatorSteps {
  private OperatorSteps() {}

  /** Refuses unless {@link Event.CancelWanted} has an effect now. */
  public static void requireCancellable(MachineState state, long epoch) throws RefusedException {
    ControlRecord unused = cancelling(state, epoch);
  }

  /** Refuses unless {@link Event.EndAsIsWanted} has an effect now. */
  public static void requireEndable(MachineState state, long epoch, Set<Integer> stopped)
      throws RefusedException {
    ControlRecord unused = endingAsIs(state, epoch, stopped);
  }

  /**
   * The record that cancels the open plan.
   *
   * @throws RefusedException if it is too late, or violations ask for the plan
   */
  public static ControlRecord cancelling(MachineState state, long epoch) throws RefusedException {
    Plan plan = state.log().plan();
    if (plan == null || plan.epoch() != epoch) {
      throw new RefusedException(
          epoch <= state.log().epoch()
              ? "rollback %d has ended; 'rollback undo' reinstates the discarded writes"
                  .formatted(epoch)
              : "there is no rollback %d".formatted(epoch));
    }
    if (plan.isCancelled()) {
      throw new RefusedException("rollback %d is cancelled already".formatted(epoch));
    }
    if (!plan.isCancellable()) {
      throw new RefusedException(
          "rollback %d is past its commit point: Restore(%d) is in the control log, so it continues; 'rollback undo' reinstates the writes it discards"
              .formatted(epoch, plan.attempt()));
    }
    if (!plan.operator().isByHand()) {
      throw new RefusedException(
          "rollback %d was opened by violations, which would open the next one".formatted(epoch));
    }
    return step(state, plan).setCancel(Cancel.getDefaultInstance()).build();
  }

  /**
   * The record of an operator's intervention in the open plan. A retry needs a halt; an abandon
   * does not. If a node does not reach the target, only a restart can be retried.
   *
   * @throws RefusedException if the intervention is not possible now, or cannot help
   */
  public static ControlRecord of(MachineState state, long epoch, Intervention intervention)
      throws RefusedException {
    Plan plan = open(state, epoch);
    return switch (intervention) {
      case ABANDON -> {
        if (plan.phase() != Phase.HALTED && plan.isAbandoned()) {
          throw new RefusedException(
              "rollback %d is abandoned already and waits for nodes %s: '--as-is' ends it without them"
                  .formatted(epoch, plan.missing(state.settings().nodes())));
        }
        yield abandon(state, plan, Abandon.newBuilder());
      }
      case RETRY -> {
        if (plan.phase() != Phase.HALTED) {
          throw new RefusedException(
              "rollback %d is not halted: only 'rollback abandon' ends it now".formatted(epoch));
        }
        boolean isOut = plan.reachMax() > plan.target() && !plan.isRestarted();
        if (isOut && !canGoElsewhere(state, plan)) {
          throw new RefusedException(
              "rollback %d cannot succeed: %s; it can only be abandoned"
                  .formatted(epoch, plan.outOfReach(plan.target())));
        }
        yield step(state, plan).setRetry(Retry.newBuilder().setHalt(plan.steps().halts())).build();
      }
    };
  }

  /**
   * The record that ends the plan with the data that each node has.
   *
   * @param stopped nodes that do not run
   * @throws RefusedException if there is no such plan or node, or no node would be left
   */
  public static ControlRecord endingAsIs(MachineState state, long epoch, Set<Integer> stopped)
      throws RefusedException {
    Plan plan = open(state, epoch);
    int nodes = state.settings().nodes();
    for (int node : stopped) {
      if (node < 0 || node >= nodes) {
        throw new RefusedException(
            "a stopped node must be in [0, %d]: node=%d".formatted(nodes - 1, node));
      }
    }
    if (stopped.size() == nodes) {
      throw new RefusedException("at least one node must run: all %d are stopped".formatted(nodes));
    }
    return abandon(
        state, plan, Abandon.newBuilder().setAsIs(true).addAllStopped(new TreeSet<>(stopped)));
  }

  private static ControlRecord abandon(MachineState state, Plan plan, Abandon.Builder abandon)
      throws RefusedException {
    if (plan.phase() == Phase.OPENED) {
      // Pause is not in the log yet, and nodes must read it first.
      throw new RefusedException(
          "rollback %d has not asked the nodes to pause yet: ask again".formatted(plan.epoch()));
    }
    if (plan.phase() == Phase.HALTED) {
      return step(state, plan).setAbandon(abandon.setHalt(plan.steps().halts())).build();
    }
    String waited =
        "an operator ended the wait for nodes " + plan.missing(state.settings().nodes());
    Halted halted = PlanRecords.halted(plan, waited).setThen(abandon).build();
    return step(state, plan).setHalted(halted).build();
  }

  private static Plan open(MachineState state, long epoch) throws RefusedException {
    Plan plan = state.log().plan();
    if (plan == null || plan.epoch() != epoch) {
      throw new RefusedException("rollback " + epoch + " is not open");
    }
    return plan;
  }

  /**
   * Whether a retry needs no window-log: by the snapshot that was asked for, or by a policy or
   * snapshot that is newer than the halt.
   */
  private static boolean canGoElsewhere(MachineState state, Plan plan) {
    if (Unreachable.asked(state, plan, plan.target()) != null) {
      return true;
    }
    Plan again = plan.triedAgain();
    return Unreachable.of(state, again, plan.target(), "").kind() != Unreachable.Kind.HALT;
  }

  private static ControlRecord.Builder step(MachineState state, Plan plan) {
    return ControlRecord.newBuilder().setEpoch(plan.epoch()).setAtMicros(state.nowMicros());
  }
}

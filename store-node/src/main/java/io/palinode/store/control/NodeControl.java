package io.palinode.store.control;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Extent;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Restore;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The node's side of the control log: a state machine over it, without clock, thread or I/O.
 *
 * <p>The duties of the node follow from the state of the log alone. A duty is done when the node's
 * own record of it is in the log; until then it is handed out once. A node that crashed at any
 * point reads the log from the start and has exactly the duties that are not done.
 */
public final class NodeControl {
  private NodeControl() {}

  /** The next state, and the commands to execute now, in this order. */
  public record Step(ControlState next, List<Command> commands) {
    public Step {
      commands = List.copyOf(commands);
    }
  }

  /** A node that has not read the log yet. */
  public static ControlState initial(int node, int nodes, long incarnation) {
    return ControlState.initial(node, nodes, incarnation);
  }

  /** The next record of the log. */
  public static Step step(ControlState state, ControlRecord record) {
    return owed(after(state, record));
  }

  /** The log is read up to its end at the start of the node: from now on the node acts. */
  public static Step caughtUp(ControlState state) {
    return owed(state.acting(Set.of()));
  }

  /** A command failed: all owed duties are handed out again. */
  public static Step retry(ControlState state) {
    return owed(state.acting(Set.of()));
  }

  private static ControlState after(ControlState state, ControlRecord record) {
    if (record.hasNodeJoined()) {
      return isOwn(record.getNodeJoined(), state) ? state.withJoined() : state;
    }
    if (record.hasGate()) {
      long rejected = record.getGate().getLetStand().getRejects();
      return rejected == 0 ? state : state.withRejected(rejected);
    }
    Plan plan = state.plan();
    if (plan == null) {
      return afterWithoutPlan(state, record);
    }
    if (record.getEpoch() != plan.epoch()) {
      return state;
    }
    if (record.hasResume()) {
      return plan.isEndedBy(record.getResume()) ? state.resumed(record) : state;
    }
    return state.with(plan.after(record, state.nodes(), state.node(), state.self().incarnation()));
  }

  /** A record that was in the log before the node acts is not its own. */
  private static boolean isOwn(NodeJoined joined, ControlState state) {
    return state.run().acting()
        && joined.getNode() == state.node()
        && joined.getIncarnation() == state.self().incarnation();
  }

  private static ControlState afterWithoutPlan(ControlState state, ControlRecord record) {
    if (record.hasPlanOpened() && record.getEpoch() == state.epoch() + 1) {
      if (state.log().rejected().contains(record.getPlanOpened().getApproves())) {
        return state;
      }
      return state.with(Plan.of(record.getEpoch()));
    }
    return record.hasSafePoint() ? state.withSafePoint(record.getSafePoint().getHlc()) : state;
  }

  private static Step owed(ControlState state) {
    if (!state.run().acting()) {
      return new Step(state, List.of());
    }
    Set<Duty> duties = duties(state);
    List<Command> commands = new ArrayList<>();
    for (Duty duty : duties) {
      if (!state.run().begun().contains(duty)) {
        commands.add(command(state, duty));
      }
    }
    return new Step(state.acting(duties), commands);
  }

  private static Set<Duty> duties(ControlState state) {
    Set<Duty> duties = new LinkedHashSet<>();
    Plan plan = state.plan();
    if (plan != null && plan.isFenced() && !plan.paused()) {
      duties.add(new Duty(Duty.Kind.PAUSE, plan.epoch(), 0));
    }
    // Before serving: the detector reads the epoch's state before the first write of the epoch.
    // Not after Converged: a restarted node must not publish in the ended epoch.
    if (plan == null || !(plan.hasConverged() || plan.isEndingAsIs())) {
      duties.add(new Duty(Duty.Kind.WATCH, state.epoch(), 0));
    }
    if (!state.isFenced()) {
      duties.add(new Duty(Duty.Kind.SERVE, state.epoch(), 0));
    }
    if (!state.run().joined()) {
      duties.add(new Duty(Duty.Kind.JOIN, 0, 0));
    }
    if (state.log().safePoint() > 0) {
      duties.add(new Duty(Duty.Kind.TELL_SAFE_POINT, 0, state.log().safePoint()));
    }
    Attempt attempt = plan == null ? null : plan.activeAttempt();
    if (plan != null && attempt != null) {
      addDutiesOf(attempt, plan, state, duties);
    }
    return duties;
  }

  private static void addDutiesOf(
      Attempt attempt, Plan plan, ControlState state, Set<Duty> duties) {
    if (!attempt.nodesAnswered().contains(state.node())) {
      Duty.Kind first = first(attempt, state);
      if (first != null) {
        duties.add(new Duty(first, plan.epoch(), attempt.number()));
      }
      return;
    }
    if (attempt.asked().getAsIs()) {
      return;
    }
    Comparison comparison = attempt.comparison();
    Duty.Kind next = comparison == null ? null : next(attempt, comparison, state);
    if (next != null) {
      duties.add(new Duty(next, plan.epoch(), attempt.number()));
    }
  }

  /** The duty of a node that has not restored in the attempt; null if it must wait. */
  private static Duty.@Nullable Kind first(Attempt attempt, ControlState state) {
    if (!attempt.isOfSome() || state.isAll(attempt.nodesAccessed())) {
      return Duty.Kind.RESTORE;
    }
    return attempt.nodesAccessed().contains(state.node()) ? null : Duty.Kind.TELL_ACCESSES;
  }

  /** The duty of a node after all nodes have restored; null if it must wait. */
  private static Duty.@Nullable Kind next(
      Attempt attempt, Comparison comparison, ControlState state) {
    if (!comparison.groups().isEmpty() && !state.isAll(attempt.nodesNamed())) {
      return attempt.nodesNamed().contains(state.node()) ? null : Duty.Kind.NAME;
    }
    if (!comparison.isAlike() && !state.isAll(attempt.nodesContributed())) {
      return attempt.nodesContributed().contains(state.node()) ? null : Duty.Kind.CONTRIBUTE;
    }
    return attempt.converged() ? null : Duty.Kind.CONVERGE;
  }

  private static Command command(ControlState state, Duty duty) {
    return switch (duty.kind()) {
      case PAUSE -> new Command.Pause(duty.epoch());
      case WATCH -> new Command.Watch(duty.epoch(), state.log().resumed().clock());
      case SERVE ->
          new Command.Serve(
              duty.epoch(),
              state.log().resumed().target(),
              state.log().resumed().sequentialUntilMicros(),
              state.log().resumed().missed(),
              state.log().resumed().sequential());
      case JOIN -> new Command.Join(state.epoch());
      case TELL_SAFE_POINT -> new Command.TellSafePoint(duty.number());
      case TELL_ACCESSES -> new Command.TellAccesses(duty.epoch(), attemptOf(state).asked());
      case RESTORE -> restore(duty.epoch(), attemptOf(state));
      case NAME -> {
        Attempt attempt = attemptOf(state);
        yield new Command.Name(
            duty.epoch(),
            attempt.asked(),
            attempt.extent(),
            Objects.requireNonNull(attempt.comparison()).groups());
      }
      case CONTRIBUTE -> {
        Attempt attempt = attemptOf(state);
        boolean whole = attempt.asked().getWhole();
        List<StoreKey> keys = whole ? attempt.round().slices() : attempt.unsettled();
        yield new Command.Contribute(duty.epoch(), attempt.asked(), keys);
      }
      case CONVERGE -> {
        Attempt attempt = attemptOf(state);
        if (attempt.extent() instanceof Affected some) {
          yield new Command.ConvergeSome(
              duty.epoch(), attempt.asked(), some, attempt.stood(some), attempt.contributed());
        }
        StoreKey rest = attempt.asked().getWhole() ? attempt.round().rest() : null;
        yield new Command.Converge(duty.epoch(), attempt.asked(), attempt.contributed(), rest);
      }
    };
  }

  private static Command restore(long epoch, Attempt attempt) {
    Restore asked = attempt.asked();
    if (asked.getAsIs()) {
      return new Command.LeaveAsIs(epoch, attempt.number());
    }
    Extent extent = attempt.extent();
    if (extent != null) {
      return new Command.RestoreSome(epoch, asked, extent);
    }
    if (asked.hasFromSlice() || (asked.getKeep() && asked.getWhole())) {
      return new Command.KeepAll(epoch, asked);
    }
    if (asked.getKeep()) {
      return new Command.Keep(epoch, asked);
    }
    return asked.hasSnapshot()
        ? new Command.RestoreFrom(epoch, asked)
        : new Command.Restore(epoch, attempt.number(), asked.getTarget(), asked.getPast());
  }

  private static Attempt attemptOf(ControlState state) {
    return Objects.requireNonNull(Objects.requireNonNull(state.plan()).attempt());
  }
}

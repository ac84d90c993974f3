package io.palinode.detector;

import io.palinode.detector.affected.Affected;
import io.palinode.detector.affected.Extent;
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
 * <p>The state is what the log says. From it follow the duties that the node has now, whatever
 * happened before; a duty is done when the node's own record of it is in the log, and until then it
 * is handed out once. So a node that crashed anywhere reads the log from the start, learns where
 * the plan is, and has exactly the duties that it left undone.
 */
public final class NodeControl {
  private NodeControl() {}

  /** The next state, and what is to be done at once, in this order. */
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
    return owed(heard(state, record));
  }

  /** The log is read up to its end as it was at the start: from now on the node acts. */
  public static Step caughtUp(ControlState state) {
    return owed(state.acting(Set.of()));
  }

  /** A command failed: everything owed is to be done anew. */
  public static Step retry(ControlState state) {
    return owed(state.acting(Set.of()));
  }

  private static ControlState heard(ControlState state, ControlRecord record) {
    if (record.hasNodeJoined()) {
      return isOwn(record.getNodeJoined(), state) ? state.withJoined() : state;
    }
    if (record.hasGate()) {
      long rejected = record.getGate().getLetStand().getRejects();
      return rejected == 0 ? state : state.withRejected(rejected);
    }
    Plan plan = state.plan();
    if (plan == null) {
      return heardWithoutPlan(state, record);
    }
    if (record.getEpoch() != plan.epoch()) {
      return state;
    }
    if (record.hasResume()) {
      return plan.isEndedBy(record.getResume()) ? state.resumed(record) : state;
    }
    return state.with(plan.heard(record, state.nodes(), state.node(), state.incarnation()));
  }

  /** What was in the log before the node acts is not its own, whatever incarnation it names. */
  private static boolean isOwn(NodeJoined joined, ControlState state) {
    return state.acting()
        && joined.getNode() == state.node()
        && joined.getIncarnation() == state.incarnation();
  }

  private static ControlState heardWithoutPlan(ControlState state, ControlRecord record) {
    if (record.hasPlanOpened() && record.getEpoch() == state.epoch() + 1) {
      if (state.rejected().contains(record.getPlanOpened().getApproves())) {
        return state;
      }
      return state.with(Plan.of(record.getEpoch()));
    }
    return record.hasSafePoint() ? state.withSafePoint(record.getSafePoint().getHlc()) : state;
  }

  private static Step owed(ControlState state) {
    if (!state.acting()) {
      return new Step(state, List.of());
    }
    Set<Duty> duties = duties(state);
    List<Command> commands = new ArrayList<>();
    for (Duty duty : duties) {
      if (!state.begun().contains(duty)) {
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
    // Before serving: no write of an epoch is to come before the detector sees the epoch's state.
    // Not after Converged: the old epoch is over, and whoever was started anew has no say in it.
    if (plan == null || !(plan.hasConverged() || plan.isEndingAsIs())) {
      duties.add(new Duty(Duty.Kind.WATCH, state.epoch(), 0));
    }
    if (!state.isFenced()) {
      duties.add(new Duty(Duty.Kind.SERVE, state.epoch(), 0));
    }
    if (!state.joined()) {
      duties.add(new Duty(Duty.Kind.JOIN, 0, 0));
    }
    if (state.safePoint() > 0) {
      duties.add(new Duty(Duty.Kind.TELL_SAFE_POINT, 0, state.safePoint()));
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

  /** What the node owes to an attempt that it has not made; null: nothing for now. */
  private static Duty.@Nullable Kind first(Attempt attempt, ControlState state) {
    if (!attempt.isOfSome() || state.isAll(attempt.nodesAccessed())) {
      return Duty.Kind.RESTORE;
    }
    return attempt.nodesAccessed().contains(state.node()) ? null : Duty.Kind.TELL_ACCESSES;
  }

  /** What the node owes to an attempt that all have made; null: nothing for now. */
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
      case WATCH -> new Command.Watch(duty.epoch(), state.resumed().clock());
      case SERVE ->
          new Command.Serve(
              duty.epoch(),
              state.resumed().target(),
              state.resumed().sequentialUntilMicros(),
              state.resumed().missed(),
              state.resumed().sequential());
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
        yield new Command.Converge(duty.epoch(), attempt.number(), attempt.contributed(), rest);
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

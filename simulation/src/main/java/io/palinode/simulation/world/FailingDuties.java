package io.palinode.simulation.world;

import io.palinode.simulation.environment.Dice;
import io.palinode.store.control.Command;
import io.palinode.wire.v1.ControlRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A node that cannot carry out a kind of control duty, until the plan ends. */
public final class FailingDuties {
  /** How long a node tries before it answers; a full disk is free again before. */
  public static final long ANSWERED_AFTER_MICROS = 600_000;

  private static final int HIT_PERCENT = 40;
  private static final int ABANDON_WAITING_PERCENT = 4;

  /** The duties, by the commands that carry them out. */
  private static final List<List<String>> KINDS =
      List.of(
          List.of("Pause"),
          List.of("Watch"),
          List.of("TellAccesses"),
          List.of("Restore", "RestoreSome", "RestoreFrom"),
          List.of("Restore", "RestoreSome", "RestoreFrom", "Keep", "KeepAll"),
          List.of("Name"),
          List.of("Contribute"),
          List.of("Converge", "ConvergeSome"),
          List.of("Keep", "KeepAll", "Contribute", "Converge", "LeaveAsIs"));

  private final World world;
  private final Dice dice;
  private final Set<Long> abandoned = new HashSet<>();
  private final List<Runnable> whenOver = new ArrayList<>();
  private int node = -1;
  private List<String> failing = List.of();

  FailingDuties(World world, Dice dice) {
    this.world = world;
    this.dice = dice;
  }

  public void begin(long from, long to) {
    if (world.faults().contains(Fault.DUTY) && dice.percent(HIT_PERCENT)) {
      world.time().in(dice.between(from, to), this::fail);
    }
  }

  private void fail() {
    node = dice.below(world.shape().nodes());
    failing = dice.one(KINDS);
    world.trace().add("node" + node, "cannot", () -> failing.toString());
  }

  /** Whether a plan's duty fails at this node. */
  public boolean fails(int id, Command command) {
    return id == node && failing.contains(command.getClass().getSimpleName());
  }

  /** A record came into the log, and counted. */
  void counted(ControlRecord record) {
    if (record.hasAbandon()) {
      abandoned.add(record.getEpoch());
    }
    if (record.hasResume()) {
      whenOver.forEach(Runnable::run);
      whenOver.clear();
      failing = List.of();
    }
  }

  public boolean wasAbandoned(long epoch) {
    return abandoned.contains(epoch);
  }

  /** Whether the operator now abandons a plan that waits. */
  public boolean isWaitTooLong() {
    return !failing.isEmpty() && dice.percent(ABANDON_WAITING_PERCENT);
  }

  /** The node that cannot even end a plan as it is, if there is one. */
  public Set<Integer> unableToEnd() {
    return failing.contains("Pause") || failing.contains("LeaveAsIs") ? Set.of(node) : Set.of();
  }

  /** Has {@code action} done when the fault ends. */
  public void whenOver(Runnable action) {
    whenOver.add(action);
  }
}

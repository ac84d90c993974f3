package io.palinode.simulation;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.store.control.Command;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.ControlRecord;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Nodes that cannot carry out a kind of control duty, and the operator that ends such plans.
 *
 * <p>The operator retries, then abandons, then ends the plan as it is. A node that cannot do even
 * that is stopped and named. The fault ends with the plan. So whatever fails for good, the plan
 * ends.
 */
final class FailingDuties {
  /** How long a node tries before it answers; a full disk is free again before. */
  static final long ANSWERED_AFTER_MICROS = 600_000;

  private static final int HIT_PERCENT = 40;
  private static final int ABANDON_WAITING_PERCENT = 4;

  /** The duties, by the commands that carry them out. */
  private static final List<Set<String>> KINDS =
      List.of(
          Set.of("Pause"),
          Set.of("Watch"),
          Set.of("TellAccesses"),
          Set.of("Restore", "RestoreSome", "RestoreFrom"),
          Set.of("Restore", "RestoreSome", "RestoreFrom", "Keep", "KeepAll"),
          Set.of("Name"),
          Set.of("Contribute"),
          Set.of("Converge", "ConvergeSome"),
          Set.of("Keep", "KeepAll", "Contribute", "Converge", "LeaveAsIs"));

  private final World world;
  private final Dice dice;
  private final Set<Long> abandoned = new HashSet<>();
  private int node = -1;
  private Set<String> failing = Set.of();

  FailingDuties(World world, Dice dice) {
    this.world = world;
    this.dice = dice;
  }

  void begin(long from, long to) {
    if (world.faults().contains(Fault.DUTY) && dice.percent(HIT_PERCENT)) {
      world.time().in(dice.between(from, to), this::fail);
    }
  }

  private void fail() {
    node = dice.below(world.machines().size());
    failing = dice.one(KINDS);
    world.trace().add("node" + node, "cannot", () -> failing.toString());
  }

  /** Whether a plan's duty fails at this node. */
  boolean fails(int id, Command command) {
    return id == node && failing.contains(command.getClass().getSimpleName());
  }

  /** A record came into the log, and counted. */
  void counted(ControlRecord record) {
    if (record.hasAbandon()) {
      abandoned.add(record.getEpoch());
    }
    if (record.hasResume()) {
      world.machines().forEach(NodeMachine::release);
      failing = Set.of();
    }
  }

  /** Ends a plan that was abandoned and is halted again, or abandons one that waits. */
  boolean operate(Plan plan, OrchestratorProcess orchestrator) {
    if (plan.phase() == Phase.HALTED && abandoned.contains(plan.epoch())) {
      orchestrator.endAsIs(stopped());
      return true;
    }
    boolean waits = plan.phase() != Phase.HALTED && !abandoned.contains(plan.epoch());
    if (waits && !failing.isEmpty() && dice.percent(ABANDON_WAITING_PERCENT)) {
      orchestrator.say(Intervention.ABANDON);
      return true;
    }
    return false;
  }

  private Set<Integer> stopped() {
    if (!failing.contains("Pause") && !failing.contains("LeaveAsIs")) {
      return Set.of();
    }
    NodeMachine machine = world.machine(node);
    machine.hold();
    return Set.of(node);
  }
}

package io.palinode.simulation;

import io.palinode.simulation.environment.Dice;
import io.palinode.simulation.node.NodeMachine;
import io.palinode.simulation.node.NodeProcess;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.Shape;
import io.palinode.simulation.world.World;
import java.util.ArrayList;
import java.util.List;

/** Lets things go wrong for a while, as the run's faults allow; and puts all right in the end. */
final class Nemesis {
  private static final long PAUSE_MICROS_MIN = 20_000;
  private static final long PAUSE_MICROS_MAX = 400_000;

  /** Also the drift that production accepts: what is further apart is refused. */
  private static final long SKEW_MICROS_MAX = 200_000;

  private static final long DRIFT_PPM_MAX = 500;
  private static final long JUMP_MICROS_MAX = 900_000;
  private static final int AWAY_PERCENT = 10;
  private static final long AWAY_AFTER_MICROS_MAX = 5_000;
  private static final long AWAY_MICROS_MIN = 200_000;
  private static final long AWAY_MICROS_MAX = 1_400_000;

  private final Cluster cluster;
  private final World world;
  private final Dice dice;
  private final Dice absences;
  private final List<Runnable> wrongs = new ArrayList<>();
  private long until;
  private boolean over;

  Nemesis(Cluster cluster) {
    this.cluster = cluster;
    this.world = cluster.world();
    this.dice = world.dice();
    this.absences = world.diceFor(43);
    add(Fault.CRASH, this::killNode);
    add(Fault.CRASH, this::killNode);
    add(Fault.CRASH, this::stopNode);
    add(Fault.CRASH, cluster::killOrchestrator);
    add(Fault.CRASH, cluster::killJob);
    add(Fault.CRASH, this::killClient);
    add(Fault.PARTITION, this::cutLink);
    add(Fault.PARTITION, this::isolate);
    add(Fault.SLOW, this::slowLink);
    add(Fault.SLOW, this::slowLink);
    add(Fault.JUMP, this::jump);
    add(Fault.DISK, this::fillDisk);
    add(Fault.DISK, this::refuseCandidates);
    add(Fault.TAKEOVER, this::supersedeOrchestrator);
  }

  private void add(Fault fault, Runnable wrong) {
    if (world.faults().contains(fault)) {
      wrongs.add(wrong);
    }
  }

  void setClocks() {
    if (world.faults().contains(Fault.SKEW)) {
      long most = dice.percent(50) ? SKEW_MICROS_MAX : Shape.EPSILON_MICROS / 2;
      for (NodeMachine machine : cluster.machines()) {
        machine.clock().skew(dice.between(-most, most), dice.between(0, DRIFT_PPM_MAX));
      }
    }
  }

  void begin(long from, long to) {
    until = to;
    if (world.faults().contains(Fault.AWAY)) {
      world.onEntry(this::entered);
    }
    if (!wrongs.isEmpty()) {
      world.time().in(from + dice.between(0, PAUSE_MICROS_MAX), this::goWrong);
    }
  }

  private void goWrong() {
    if (!over) {
      dice.one(wrongs).run();
      world.time().in(dice.between(PAUSE_MICROS_MIN, PAUSE_MICROS_MAX), this::goWrong);
    }
  }

  /** From here on nothing goes wrong, and what is down is up again. */
  void end() {
    over = true;
    world.network().heal();
    world.refuseCandidates(false);
    cluster.endSuperseded();
    for (NodeMachine machine : cluster.machines()) {
      world.disk(machine.id()).setFull(false);
      machine.clock().set();
      if (machine.process() == null) {
        machine.startIn(0);
      } else {
        machine.process().dieAfter(Integer.MAX_VALUE);
      }
    }
  }

  private void killNode() {
    NodeMachine machine = dice.one(cluster.machines());
    NodeProcess process = machine.process();
    if (process == null) {
      return;
    }
    if (dice.percent(50)) {
      process.dieAfter(dice.below(8));
    } else {
      machine.kill();
    }
    startAgain(machine);
  }

  private void startAgain(NodeMachine machine) {
    world
        .time()
        .in(
            dice.mostlyNear(5_000, 500_000),
            () -> {
              if (machine.process() == null) {
                machine.startIn(0);
              } else if (!over) {
                startAgain(machine);
              }
            });
  }

  private void entered(int node, int client) {
    if (!over && absences.percent(AWAY_PERCENT)) {
      long away = absences.between(AWAY_MICROS_MIN, AWAY_MICROS_MAX);
      world
          .time()
          .in(
              absences.between(0, AWAY_AFTER_MICROS_MAX),
              () -> {
                NodeMachine machine = cluster.machines().get(node);
                machine.kill();
                world.time().in(away, () -> machine.startIn(0));
                cluster.clients().get(client).kill(away);
              });
    }
  }

  private void stopNode() {
    NodeProcess process = dice.one(cluster.machines()).process();
    if (process != null) {
      process.stop();
    }
  }

  private void killClient() {
    dice.one(cluster.clients()).kill();
  }

  private void supersedeOrchestrator() {
    long frozenMicros = dice.percent(60) ? dice.mostlyNear(20_000, 1_000_000) : 0;
    cluster.supersedeOrchestrator(frozenMicros, dice.mostlyNear(20_000, 1_000_000));
  }

  private void cutLink() {
    int endpoints = world.orchestratorEndpoint() + 1;
    int a = dice.below(endpoints);
    int b = dice.below(endpoints);
    cut(List.of(a), List.of(b));
  }

  /** One of all from all others. */
  private void isolate() {
    int endpoints = world.orchestratorEndpoint() + 1;
    int alone = dice.below(endpoints);
    List<Integer> others = new ArrayList<>();
    for (int other = 0; other < endpoints; other++) {
      if (other != alone) {
        others.add(other);
      }
    }
    cut(List.of(alone), others);
  }

  private void cut(List<Integer> some, List<Integer> others) {
    long micros = dice.mostlyNear(20_000, until / 2);
    world.trace().add("network", "cut", () -> some + " from " + others + " for " + micros);
    some.forEach(a -> others.forEach(b -> world.network().cut(a, b, true)));
    world
        .time()
        .in(micros, () -> some.forEach(a -> others.forEach(b -> world.network().cut(a, b, false))));
  }

  private void slowLink() {
    int endpoints = world.orchestratorEndpoint() + 1;
    int from = dice.below(endpoints);
    int to = dice.below(endpoints);
    int times = (int) dice.between(5, 100);
    world.trace().add("network", "slow", () -> from + " to " + to + " times " + times);
    world.network().slow(from, to, times);
    world.time().in(dice.between(50_000, 500_000), () -> world.network().slow(from, to, 1));
  }

  private void jump() {
    NodeMachine machine = dice.one(cluster.machines());
    long most = dice.percent(30) ? JUMP_MICROS_MAX : 20_000;
    long micros = dice.between(-most, most);
    world.trace().add("node" + machine.id(), "clock-jumps", () -> micros + " us");
    machine.clock().jump(micros);
  }

  private void fillDisk() {
    NodeMachine machine = dice.one(cluster.machines());
    world.trace().add("node" + machine.id(), "disk-full", () -> "");
    world.disk(machine.id()).setFull(true);
    world
        .time()
        .in(
            dice.mostlyNear(10_000, 500_000),
            () -> {
              world.trace().add("node" + machine.id(), "disk-free", () -> "");
              world.disk(machine.id()).setFull(false);
            });
  }

  private void refuseCandidates() {
    world.trace().add("kafka", "refuses", () -> "candidates");
    world.refuseCandidates(true);
    world.time().in(dice.between(5_000, 100_000), () -> world.refuseCandidates(false));
  }
}

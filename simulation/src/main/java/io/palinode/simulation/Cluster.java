package io.palinode.simulation;

import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.Invariant;
import io.palinode.simulation.client.ClientProcess;
import io.palinode.simulation.job.Checkpoint;
import io.palinode.simulation.job.JobProcess;
import io.palinode.simulation.node.NodeMachine;
import io.palinode.simulation.node.NodeProcess;
import io.palinode.simulation.orchestrator.Operator;
import io.palinode.simulation.orchestrator.OrchestratorProcess;
import io.palinode.simulation.orchestrator.PredicateChanges;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.World;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes of a run: nodes, clients, the detection job, the orchestrator, and an operator.
 * Kills and restarts the job and the orchestrator.
 */
final class Cluster {
  private static final long FAULTS_BEGIN_MICROS = 200_000;
  private static final long FAULTS_END_MICROS = 1_700_000;
  private static final long CALM_MICROS = 1_900_000;
  private static final long QUIET_BY_MICROS = 32_000_000;
  private static final long LOOK_MICROS = 100_000;

  private final World world;
  private final List<NodeMachine> machines = new ArrayList<>();
  private final List<ClientProcess> clients = new ArrayList<>();
  private final List<OrchestratorProcess> superseded = new ArrayList<>();
  private final Operator operator;
  private final CalmCheck calm;
  private Checkpoint checkpoint;
  private JobProcess jobProcess;
  private OrchestratorProcess orchestrator;

  Cluster(World world) {
    this.world = world;
    this.operator = new Operator(world, machines, this::orchestrator);
    this.calm = new CalmCheck(this);
    new PredicateChanges(world, operator).begin();
    this.checkpoint =
        Checkpoint.none(
            world.shape().candidates().partitions(), world.predicates().size(), world.predicate());
    this.jobProcess = newJob();
    this.orchestrator = new OrchestratorProcess(world);
    for (int node = 0; node < world.shape().nodes(); node++) {
      machines.add(new NodeMachine(world, node, this::disconnect));
    }
    for (int client = 0; client < world.shape().clients().count(); client++) {
      clients.add(new ClientProcess(world, machines, client));
    }
  }

  private JobProcess newJob() {
    return new JobProcess(world, checkpoint, newest -> checkpoint = newest);
  }

  private void disconnect(NodeProcess ended) {
    clients.forEach(client -> client.disconnect(ended));
  }

  /** Runs to its end. Throws {@link BrokenInvariant}. */
  void run() {
    world
        .trace()
        .add("world", "begins", () -> world.shape() + " faults=" + Fault.format(world.faults()));
    Nemesis nemesis = new Nemesis(this);
    nemesis.setClocks();
    machines.forEach(machine -> machine.startIn(world.dice().between(0, 5_000)));
    jobProcess.start();
    orchestrator.start();
    clients.forEach(client -> world.time().in(world.dice().between(20_000, 60_000), client::start));
    nemesis.begin(FAULTS_BEGIN_MICROS, FAULTS_END_MICROS);
    world.duties().begin(FAULTS_BEGIN_MICROS, FAULTS_END_MICROS);
    operator.operate();
    world.time().runUntil(FAULTS_END_MICROS);
    nemesis.end();
    world.endFaults();
    world.time().runUntil(CALM_MICROS);
    clients.forEach(ClientProcess::calmDown);
    long calmSince = world.time().nowMicros();
    orchestrator.acknowledge();
    while (!calm.missing(calmSince).isEmpty()) {
      if (world.time().nowMicros() > QUIET_BY_MICROS) {
        throw new BrokenInvariant(Invariant.LIVE, "this is not over: " + calm.missing(calmSince));
      }
      world.time().runUntil(world.time().nowMicros() + LOOK_MICROS);
    }
    calm.requireEnd();
    world.trace().add("world", "ends", () -> "");
  }

  // ---- what goes wrong

  void killOrchestrator() {
    world.trace().add("orch", "killed", () -> "");
    orchestrator.die();
    orchestrator = new OrchestratorProcess(world);
    orchestrator.start();
  }

  /** Freezes the orchestrator, lets it continue, then kills it; another one starts at once. */
  void supersedeOrchestrator(long frozenMicros, long livesOnMicros) {
    OrchestratorProcess old = orchestrator;
    world.trace().add("orch", "superseded", () -> "frozen for " + frozenMicros + " us");
    superseded.add(old);
    old.freeze(frozenMicros);
    world.time().in(frozenMicros + livesOnMicros, old::die);
    orchestrator = new OrchestratorProcess(world);
    orchestrator.start();
  }

  void endSuperseded() {
    superseded.forEach(OrchestratorProcess::die);
  }

  void killJob() {
    world.trace().add("job", "killed", () -> "");
    jobProcess.die();
    world
        .time()
        .in(
            world.dice().between(5_000, 50_000),
            () -> {
              jobProcess.die();
              jobProcess = newJob();
              jobProcess.start();
              world.detection().jobRestarted();
              world.trace().add("job", "starts", () -> "from=" + checkpoint.offsets());
            });
  }

  // ---- its parts

  World world() {
    return world;
  }

  List<NodeMachine> machines() {
    return machines;
  }

  List<ClientProcess> clients() {
    return clients;
  }

  OrchestratorProcess orchestrator() {
    return orchestrator;
  }

  boolean isPredicateDeleted() {
    return operator.hasDeletedThePredicate();
  }
}

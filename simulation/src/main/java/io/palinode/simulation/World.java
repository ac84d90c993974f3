package io.palinode.simulation;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.simulation.check.AffectedChecks;
import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.ClientChecks;
import io.palinode.simulation.check.ControlChecks;
import io.palinode.simulation.check.DetectionChecks;
import io.palinode.simulation.check.GateChecks;
import io.palinode.simulation.check.Invariant;
import io.palinode.simulation.check.StoreModel;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.store.StoreKind;
import io.palinode.store.past.Accesses;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in virtual time: nodes, clients, the detection job, the orchestrator, an operator, and
 * the logs between them. It also holds the checks.
 */
final class World {
  private static final long FAULTS_BEGIN_MICROS = 200_000;
  private static final long FAULTS_END_MICROS = 1_700_000;
  private static final long CALM_MICROS = 1_900_000;
  private static final long QUIET_BY_MICROS = 32_000_000;
  private static final long LOOK_MICROS = 100_000;

  private final VirtualTime time = new VirtualTime();
  private final Dice dice;

  private final Set<Fault> faults;
  private final Seams seams;
  private final Shape shape;
  private final Trace trace;
  private final Network network;
  private final SimulatedStore store;
  private final PredicateChanges changes;
  private final FailingDuties duties;
  private final Operator operator;
  private final CalmCheck calm = new CalmCheck(this);
  private final List<String> flags = new ArrayList<>();

  private final SharedLog<ControlRecord> control = new SharedLog<>();
  private final SharedLog<ViolationRecord> violations = new SharedLog<>();
  private final SharedLog<PredicateVersion> predicates = new SharedLog<>();
  private final List<SharedLog<CandidateRecord>> candidates = new ArrayList<>();
  private final List<NodeMachine> machines = new ArrayList<>();
  private final List<ClientProcess> clients = new ArrayList<>();
  private final Set<List<Long>> cutsChecked = new HashSet<>();
  private JobProcess jobProcess;
  private OrchestratorProcess orchestrator;
  private final List<OrchestratorProcess> superseded = new ArrayList<>();
  private JobProcess.Checkpoint checkpoint;

  private final StoreModel model;
  private final ControlChecks controlChecks;
  private final GateChecks gateChecks;
  private final ClientChecks clientChecks;
  private final AffectedChecks affected = new AffectedChecks(this::accessKey);
  private final DetectionChecks detection;
  private long newestServed;
  private boolean faultsAreOver;
  private boolean candidatesRefused;

  World(
      long seed,
      StoreKind kind,
      Set<Fault> faults,
      Seams seams,
      boolean affectingOnlySome,
      @Nullable Consumer<String> traceLines) {
    this.dice = new Dice(seed);
    this.faults = faults;
    this.seams = seams;
    this.shape = Shape.draw(dice, new Dice(~seed), affectingOnlySome);
    this.operator = new Operator(this, new Dice(~seed * 31));
    this.trace = traceLines == null ? Trace.none(time) : Trace.of(time, traceLines);
    this.network = new Network(shape.nodes() + shape.clients() + 3, dice);
    this.store = kind.of(shape.replication(), Shape.SETTINGS);
    this.changes = new PredicateChanges(this, new Dice(~seed * 37));
    this.duties = new FailingDuties(this, new Dice(~seed * 41));
    this.model =
        new StoreModel(
            shape.nodes(),
            Hlc.ofMicros(Shape.CONVERGENCE_WINDOW.toNanos() / 1_000),
            this::isHeldBy,
            store.order());
    this.clientChecks = new ClientChecks(store.order());
    this.gateChecks = shape.watched().wish().checks();
    this.controlChecks =
        new ControlChecks(
            shape.nodes(), faults.contains(Fault.DUPLICATE) || faults.contains(Fault.TAKEOVER));
    this.detection =
        new DetectionChecks(shape.watched().joins(), Shape.EPSILON_MICROS, shape.partitions());
    for (int partition = 0; partition < shape.partitions(); partition++) {
      candidates.add(new SharedLog<>());
    }
    for (int one = 0; one < shape.clients(); one++) {
      for (int other = one + 1; other < shape.clients(); other++) {
        flags.add(ClientProcess.flag(one, other, one));
        flags.add(ClientProcess.flag(one, other, other));
      }
    }
    changes.begin();
    checkpoint = JobProcess.Checkpoint.none(shape.partitions(), predicates.size(), predicate());
    jobProcess = new JobProcess(this, checkpoint);
    orchestrator = new OrchestratorProcess(this);
    for (int node = 0; node < shape.nodes(); node++) {
      machines.add(new NodeMachine(this, node));
    }
    for (int client = 0; client < shape.clients(); client++) {
      clients.add(new ClientProcess(this, client));
    }
  }

  /** Runs to its end. Throws {@link BrokenInvariant}. */
  void run() {
    trace.add("world", "begins", () -> shape + " faults=" + Fault.format(faults));
    Nemesis nemesis = new Nemesis(this);
    nemesis.setClocks();
    machines.forEach(machine -> machine.startIn(dice.between(0, 5_000)));
    jobProcess.start();
    orchestrator.start();
    clients.forEach(client -> time.in(dice.between(20_000, 60_000), client::start));
    nemesis.begin(FAULTS_BEGIN_MICROS, FAULTS_END_MICROS);
    duties.begin(FAULTS_BEGIN_MICROS, FAULTS_END_MICROS);
    operator.operate();
    time.runUntil(FAULTS_END_MICROS);
    nemesis.end();
    faultsAreOver = true;
    trace.add("world", "is-healed", () -> "");
    time.runUntil(CALM_MICROS);
    clients.forEach(ClientProcess::calmDown);
    long calmSince = time.nowMicros();
    orchestrator.acknowledge();
    while (!calm.missing(calmSince).isEmpty()) {
      if (time.nowMicros() > QUIET_BY_MICROS) {
        throw new BrokenInvariant(Invariant.LIVE, "this is not over: " + calm.missing(calmSince));
      }
      time.runUntil(time.nowMicros() + LOOK_MICROS);
    }
    calm.requireEnd();
    trace.add("world", "ends", () -> "");
  }

  boolean areFaultsOver() {
    return faultsAreOver;
  }

  OrchestratorProcess orchestrator() {
    return orchestrator;
  }

  boolean isPredicateDeleted() {
    return operator.hasDeletedThePredicate();
  }

  // ---- what goes wrong

  void killOrchestrator() {
    trace.add("orch", "killed", () -> "");
    orchestrator.die();
    orchestrator = new OrchestratorProcess(this);
    orchestrator.start();
  }

  /** Freezes the orchestrator, lets it continue, then kills it; another one starts at once. */
  void supersedeOrchestrator(long frozenMicros, long livesOnMicros) {
    OrchestratorProcess old = orchestrator;
    trace.add("orch", "superseded", () -> "frozen for " + frozenMicros + " us");
    superseded.add(old);
    old.freeze(frozenMicros);
    time.in(frozenMicros + livesOnMicros, old::die);
    orchestrator = new OrchestratorProcess(this);
    orchestrator.start();
  }

  void endSuperseded() {
    superseded.forEach(OrchestratorProcess::die);
  }

  void killJob() {
    trace.add("job", "killed", () -> "");
    jobProcess.die();
    time.in(
        dice.between(5_000, 50_000),
        () -> {
          jobProcess.die();
          jobProcess = new JobProcess(this, checkpoint);
          jobProcess.start();
          detection.jobRestarted();
          trace.add("job", "starts", () -> "from=" + checkpoint.offsets());
        });
  }

  void checkpointed(JobProcess.Checkpoint newest) {
    checkpoint = newest;
  }

  void refuseCandidates(boolean refuse) {
    candidatesRefused = refuse;
  }

  boolean refusesCandidates() {
    return candidatesRefused && dice.percent(50);
  }

  /** Whether a fault that comes by the way hits here. */
  boolean isHit(Fault fault, int percent) {
    return !faultsAreOver && faults.contains(fault) && dice.percent(percent);
  }

  // ---- what happened

  void append(String who, ControlRecord record) {
    append(who, record, control.size());
  }

  /**
   * @param read so many records of the control log had {@code who} read when it made this one
   */
  void append(String who, ControlRecord record, int read) {
    trace.add(who, "log", () -> Texts.of(record));
    ControlLogState before = controlChecks.truth();
    controlChecks.appended(record);
    if (!controlChecks.truth().equals(before)) {
      gateChecks.counted(record, control.size(), read);
      duties.counted(record);
      affected.appended(record, detection);
    }
    control.append(record);
  }

  void candidate(int partition, CandidateRecord record) {
    trace.add("kafka", "takes", () -> "node" + record.getNode() + " " + Texts.of(record));
    detection.arrived(record, partition);
    candidates.get(partition).append(record);
  }

  void violation(ViolationRecord record) {
    switch (record.getRecordCase()) {
      case VIOLATION -> {
        trace.add("job", "violation", () -> Texts.of(record.getViolation()));
        Violation violation = record.getViolation();
        detection.reported(
            violation, controlChecks.isTakenBack(violation.getEpoch(), violation.getViolate()));
      }
      case JUDGED -> {
        trace.add("job", "judged", () -> Texts.time(record.getJudged().getHlc()));
        detection.judged(record.getJudged().getHlc());
        controlChecks.judged(record.getJudged().getHlc());
      }
      case COVERAGE_LOST -> {
        trace.add(
            "job",
            "lost",
            () ->
                "node%d.%d p%d %s to %s %s"
                    .formatted(
                        record.getCoverageLost().getNode(),
                        record.getCoverageLost().getIncarnation(),
                        record.getCoverageLost().getPartition(),
                        Texts.time(record.getCoverageLost().getFromHlc()),
                        Texts.time(record.getCoverageLost().getToHlc()),
                        record.getCoverageLost().getCause()));
        detection.lost(record.getCoverageLost());
        controlChecks.coverage().lost(record.getCoverageLost());
      }
      case DETECTING, PHANTOM, RECORD_NOT_SET -> {}
    }
    violations.append(record);
  }

  void served(long epoch) {
    newestServed = Math.max(newestServed, epoch);
  }

  void requireFence(int node, long epoch, String hlc) {
    if (epoch < newestServed) {
      throw new BrokenInvariant(
          Invariant.FENCE,
          "node %d accepts a write of epoch %d at %s, and epoch %d is served"
              .formatted(node, epoch, hlc, newestServed));
    }
  }

  /**
   * Checks that all nodes hold the same required data once all have merged. Called once: a node
   * that does not know that the log has its answer merges again, when others may serve already.
   */
  void requireCut(long epoch, int attempt) {
    if (!model.isMergedEverywhere(epoch, attempt)
        || !cutsChecked.add(List.of(epoch, (long) attempt))) {
      return;
    }
    String when = "after attempt " + attempt + " of epoch " + epoch;
    for (String key : model.keys()) {
      for (NodeMachine machine : machines) {
        model.requireHolds(machine.id(), key, machine.stored(key), when);
      }
    }
    for (String key : model.near(epoch, attempt)) {
      long different =
          machines.stream()
              .filter(machine -> isHeldBy(machine.id(), key))
              .map(machine -> Set.copyOf(machine.stored(key)))
              .distinct()
              .count();
      if (different > 1) {
        throw new BrokenInvariant(Invariant.CONVERGED, when + ", replicas of " + key + " differ");
      }
    }
  }

  /**
   * A write was acknowledged: if its key is to be used sequentially in this epoch, all replicas
   * have it, unless a rollback is already undoing them.
   */
  void requireSequential(long epoch, String key, Version version, long acceptedAt) {
    ControlLogState truth = controlChecks.truth();
    long now = NodeClock.EPOCH_MICROS + time.nowMicros();
    boolean isSequential =
        truth.plan() == null
            && truth.epoch() == epoch
            && truth.frequent().sequential().stream()
                .anyMatch(span -> span.isInForce(now) && names(span, key));
    if (!isSequential) {
      return;
    }
    List<Integer> replicas = store.replicas(key);
    long lacking =
        replicas.stream()
            .filter(
                node ->
                    machine(node).stored(key).stream()
                        .noneMatch(stored -> store.order().isAtMost(version, stored)))
            .count();
    if (lacking >= shape.replication().reads()
        && !model.isDeletedAfter(key, version, acceptedAt, controlChecks)) {
      throw new BrokenInvariant(
          Invariant.SEQUENTIAL,
          "%s is acknowledged in epoch %d, and %d of %s lack it"
              .formatted(key, epoch, lacking, replicas));
    }
  }

  private static boolean names(SequentialSpan span, String key) {
    return span.isAll() || span.keys().contains(ByteString.copyFromUtf8(key));
  }

  void notified(int client, RolledBack rolledBack) {
    clientChecks.notified(client, rolledBack);
  }

  /** What stands for a key in what nodes note of accesses. */
  long accessKey(String key) {
    return Accesses.keyOf(SimulatedStore.NAME, key.getBytes(StandardCharsets.UTF_8));
  }

  private boolean isHeldBy(int node, String key) {
    return store.replicas(key).contains(node);
  }

  // ---- its parts

  VirtualTime time() {
    return time;
  }

  Dice dice() {
    return dice;
  }

  Network network() {
    return network;
  }

  Trace trace() {
    return trace;
  }

  Seams seams() {
    return seams;
  }

  FailingDuties duties() {
    return duties;
  }

  Set<Fault> faults() {
    return faults;
  }

  Shape shape() {
    return shape;
  }

  SimulatedStore store() {
    return store;
  }

  /** The newest version; null: there was none yet. */
  @Nullable PredicateVersion predicate() {
    return predicates.size() == 0 ? null : predicates.get(predicates.size() - 1);
  }

  SharedLog<PredicateVersion> predicates() {
    return predicates;
  }

  /** A version comes into the predicates' log. */
  void apply(PredicateVersion version) {
    trace.add("operator", "applies", version::toString);
    predicates.append(version);
  }

  /** The keys that the predicate names. */
  List<String> flags() {
    return flags;
  }

  SharedLog<ControlRecord> control() {
    return control;
  }

  SharedLog<ViolationRecord> violations() {
    return violations;
  }

  SharedLog<CandidateRecord> candidates(int partition) {
    return candidates.get(partition);
  }

  List<NodeMachine> machines() {
    return machines;
  }

  NodeMachine machine(int node) {
    return machines.get(node);
  }

  List<ClientProcess> clients() {
    return clients;
  }

  Stream<Connection> connectionsOf(NodeProcess process) {
    return List.copyOf(clients).stream()
        .flatMap(client -> List.copyOf(client.calls().opened()).stream())
        .filter(connection -> connection.isTo(process));
  }

  int kafka() {
    return shape.nodes() + shape.clients();
  }

  int job() {
    return kafka() + 1;
  }

  int orchestratorEndpoint() {
    return kafka() + 2;
  }

  StoreModel model() {
    return model;
  }

  ControlChecks controlChecks() {
    return controlChecks;
  }

  ClientChecks clientChecks() {
    return clientChecks;
  }

  AffectedChecks affected() {
    return affected;
  }

  DetectionChecks detection() {
    return detection;
  }
}

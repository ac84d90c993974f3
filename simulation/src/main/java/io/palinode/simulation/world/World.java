package io.palinode.simulation.world;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.simulation.check.AffectedChecks;
import io.palinode.simulation.check.AnswerChecks;
import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.check.ClientChecks;
import io.palinode.simulation.check.ControlChecks;
import io.palinode.simulation.check.DetectionChecks;
import io.palinode.simulation.check.GateChecks;
import io.palinode.simulation.check.Invariant;
import io.palinode.simulation.check.SingleChecks;
import io.palinode.simulation.check.SingleChecks.LostUpdates;
import io.palinode.simulation.check.StoreModel;
import io.palinode.simulation.check.TermRuns;
import io.palinode.simulation.environment.Dice;
import io.palinode.simulation.environment.Disk;
import io.palinode.simulation.environment.Network;
import io.palinode.simulation.environment.NodeClock;
import io.palinode.simulation.environment.SharedLog;
import io.palinode.simulation.environment.Trace;
import io.palinode.simulation.environment.VirtualTime;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.store.StoreKind;
import io.palinode.store.order.NodeMeta;
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
import org.jspecify.annotations.Nullable;

/**
 * What the processes of a run share: time, chance, the network, logs, disks, the faults that meet
 * them, and the checks, which see all that happens.
 */
public final class World {
  private final long seed;
  private final VirtualTime time = new VirtualTime();
  private final Dice dice;

  private final Set<Fault> faults;
  private final Seams seams;
  private final Shape shape;
  private final Trace trace;
  private final Network network;
  private final SimulatedStore store;
  private final FailingDuties duties;

  private final SharedLog<ControlRecord> control;
  private final SharedLog<ViolationRecord> violations;
  private final SharedLog<PredicateVersion> predicates;
  private final List<SharedLog<CandidateRecord>> candidates = new ArrayList<>();
  private final List<Disk> disks = new ArrayList<>();

  private final StoreModel model;
  private final ControlChecks controlChecks;
  private final GateChecks gateChecks;
  private final ClientChecks clientChecks;
  private final AffectedChecks affected = new AffectedChecks(this::accessKey);
  private final LostUpdates lostUpdates;
  private final DetectionChecks detection;
  private final Set<List<Long>> cutsChecked = new HashSet<>();
  private long newestServed;
  private boolean faultsAreOver;
  private boolean candidatesRefused;
  private EntryListener entries = (node, client) -> {};
  private final @Nullable ForgedRecords forged;

  public World(
      long seed,
      StoreKind kind,
      Set<Fault> faults,
      Seams seams,
      Shape.Variation variation,
      @Nullable Consumer<String> traceLines) {
    this.seed = seed;
    this.dice = new Dice(seed);
    this.faults = faults;
    this.seams = seams;
    this.shape = Shape.draw(dice, diceFor(1), variation);
    this.trace = traceLines == null ? Trace.none(time) : Trace.of(time, traceLines);
    this.network = new Network(shape.nodes() + shape.clients().count() + 3, time, dice);
    this.store = kind.of(shape.replication(), Shape.SETTINGS);
    this.duties = new FailingDuties(this, diceFor(41));
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
    this.lostUpdates = new LostUpdates(store.order());
    this.detection =
        new DetectionChecks(
            shape.watched().joins(),
            new TermRuns(shape.watched().heldForMicros(), Shape.EPSILON_MICROS),
            singleChecks(),
            shape.candidates().partitions());
    this.control = new SharedLog<>(network, kafka());
    this.forged =
        faults.contains(Fault.FORGE) ? new ForgedRecords(diceFor(47), shape.nodes()) : null;
    this.violations = new SharedLog<>(network, kafka());
    this.predicates = new SharedLog<>(network, kafka());
    for (int partition = 0; partition < shape.candidates().partitions(); partition++) {
      candidates.add(new SharedLog<>(network, kafka()));
    }
    for (int node = 0; node < shape.nodes(); node++) {
      disks.add(new Disk(List.of(SimulatedStore.NAME, NodeMeta.STORE)));
    }
  }

  private @Nullable SingleChecks singleChecks() {
    return switch (shape.watched().form()) {
      case WITHIN -> new AnswerChecks(Form.ANSWERED_MILLIS * 1_000, Shape.EPSILON_MICROS);
      case LOST_UPDATE, STALE_READ, NON_MONOTONIC_READ -> new SingleChecks.OfOperations();
      case ALL_OF, DISTINCT, SUM, TOTAL, LASTING, LASTING_SUM -> null;
    };
  }

  /** Chance for one purpose: what it draws changes nothing else of a run. */
  public Dice diceFor(int purpose) {
    return new Dice(~seed * purpose);
  }

  // ---- what goes wrong

  public boolean areFaultsOver() {
    return faultsAreOver;
  }

  /** From here on no fault comes by the way. */
  public void endFaults() {
    faultsAreOver = true;
    trace.add("world", "is-healed", () -> "");
  }

  public void refuseCandidates(boolean refuse) {
    candidatesRefused = refuse;
  }

  public boolean refusesCandidates() {
    return candidatesRefused && dice.percent(50);
  }

  /** Whether a fault that comes by the way hits here. */
  public boolean isHit(Fault fault, int percent) {
    return !faultsAreOver && faults.contains(fault) && dice.percent(percent);
  }

  /** Accepts each entry into a critical section that a client has acknowledged. */
  @FunctionalInterface
  public interface EntryListener {
    /**
     * @param node the first that accepted it
     */
    void entered(int node, int client);
  }

  public void onEntry(EntryListener listener) {
    entries = listener;
  }

  // ---- what happened

  /** A put of a client was acknowledged. */
  public void acknowledged(int node, int client, String key, @Nullable String value) {
    if (WatchedMutex.isFlag(key) && WatchedMutex.IN.equals(value)) {
      entries.entered(node, client / ClientChecks.RUNS_MAX);
    }
  }

  public void append(String who, ControlRecord record) {
    append(who, record, control.size());
  }

  /**
   * @param read so many records of the control log had {@code who} read when it made this one
   */
  public void append(String who, ControlRecord record, int read) {
    forge();
    trace.add(who, "log", () -> Texts.of(record));
    ControlLogState before = controlChecks.truth();
    controlChecks.appended(record);
    if (!controlChecks.truth().equals(before)) {
      gateChecks.counted(record, genuine(control.size()), genuine(read));
      duties.counted(record);
      affected.appended(record, detection);
    }
    control.append(record);
  }

  /** The log wakes its readers with the next record, so that a refused record changes no run. */
  private void forge() {
    if (forged == null || faultsAreOver) {
      return;
    }
    for (ControlRecord each : forged.next(controlChecks.truth(), control.size(), wallMicros())) {
      trace.add("stranger", "log", () -> Texts.of(each));
      control.appendUnseen(each);
    }
  }

  /** The number of records that a simulated process wrote, of the first {@code size} of the log. */
  private int genuine(int size) {
    return forged == null
        ? size
        : (int) control.records().stream().limit(size).filter(each -> !forged.has(each)).count();
  }

  /** Whether readers of the control log pass over the record. */
  public boolean isRefused(ControlRecord record) {
    return forged != null && seams.checksRecords() && forged.isRefused(record);
  }

  /** The records of the control log that its readers do not pass over. */
  public List<ControlRecord> accepted() {
    return control.records().stream().filter(record -> !isRefused(record)).toList();
  }

  public void candidate(int partition, CandidateRecord record) {
    trace.add("kafka", "takes", () -> "node" + record.getNode() + " " + Texts.of(record));
    detection.arrived(record, partition);
    candidates.get(partition).append(record);
  }

  public void violation(ViolationRecord record) {
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
      case ENDED ->
          trace.add(
              "job",
              "ended",
              () -> record.getEnded().getId() + " " + Texts.time(record.getEnded().getHlc()));
      case DETECTING, PHANTOM, RECORD_NOT_SET -> {}
    }
    violations.append(record);
  }

  public void served(long epoch) {
    newestServed = Math.max(newestServed, epoch);
  }

  public void requireFence(int node, long epoch, String hlc) {
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
  public void requireCut(long epoch, int attempt) {
    if (!model.isMergedEverywhere(epoch, attempt)
        || !cutsChecked.add(List.of(epoch, (long) attempt))) {
      return;
    }
    String when = "after attempt " + attempt + " of epoch " + epoch;
    for (String key : model.keys()) {
      requireHolds(key, when);
    }
    for (String key : model.near(epoch, attempt)) {
      long different =
          store.replicas(key).stream()
              .map(node -> Set.copyOf(stored(node, key)))
              .distinct()
              .count();
      if (different > 1) {
        throw new BrokenInvariant(Invariant.CONVERGED, when + ", replicas of " + key + " differ");
      }
    }
  }

  /** Checks what all nodes hold of a key. */
  public void requireHolds(String key, String when) {
    for (int node = 0; node < disks.size(); node++) {
      model.requireHolds(node, key, stored(node, key), when);
    }
  }

  /**
   * A write was acknowledged: if its key is to be used sequentially in this epoch, all replicas
   * have it, unless a rollback is already undoing them.
   */
  public void requireSequential(long epoch, String key, Version version, long acceptedAt) {
    ControlLogState truth = controlChecks.truth();
    long now = wallMicros();
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
                    stored(node, key).stream()
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

  public void notified(int client, RolledBack rolledBack) {
    clientChecks.notified(client, rolledBack);
  }

  /** What stands for a key in what nodes note of accesses. */
  public long accessKey(String key) {
    return Accesses.keyOf(SimulatedStore.NAME, key.getBytes(StandardCharsets.UTF_8));
  }

  private boolean isHeldBy(int node, String key) {
    return store.replicas(key).contains(node);
  }

  // ---- its parts

  public VirtualTime time() {
    return time;
  }

  /** The wall clock of a machine without skew. */
  public long wallMicros() {
    return NodeClock.EPOCH_MICROS + time.nowMicros();
  }

  public Dice dice() {
    return dice;
  }

  public Network network() {
    return network;
  }

  public Trace trace() {
    return trace;
  }

  public Seams seams() {
    return seams;
  }

  public FailingDuties duties() {
    return duties;
  }

  public Set<Fault> faults() {
    return faults;
  }

  public Shape shape() {
    return shape;
  }

  public SimulatedStore store() {
    return store;
  }

  /** The newest version; null: there was none yet. */
  public @Nullable PredicateVersion predicate() {
    return predicates.size() == 0 ? null : predicates.get(predicates.size() - 1);
  }

  public SharedLog<PredicateVersion> predicates() {
    return predicates;
  }

  /** A version comes into the predicates' log. */
  public void apply(PredicateVersion version) {
    trace.add("operator", "applies", version::toString);
    predicates.append(version);
  }

  /** The keys that the predicate names. */
  public List<String> flags() {
    return shape.watched().keys(shape.clients().count());
  }

  public SharedLog<ControlRecord> control() {
    return control;
  }

  public SharedLog<ViolationRecord> violations() {
    return violations;
  }

  public SharedLog<CandidateRecord> candidates(int partition) {
    return candidates.get(partition);
  }

  public Disk disk(int node) {
    return disks.get(node);
  }

  /** What a node has on disk, also while no process runs. */
  public List<Version> stored(int node, String key) {
    byte[] record = disk(node).get(SimulatedStore.NAME, key.getBytes(StandardCharsets.UTF_8));
    return record == null ? List.of() : store.rules().versions(record);
  }

  public int kafka() {
    return shape.nodes() + shape.clients().count();
  }

  public int job() {
    return kafka() + 1;
  }

  public int orchestratorEndpoint() {
    return kafka() + 2;
  }

  public StoreModel model() {
    return model;
  }

  /** The append of this record has failed, as far as its writer knows. */
  public void appendFailed(ControlRecord record) {
    gateChecks.appendFailed(record);
  }

  public ControlChecks controlChecks() {
    return controlChecks;
  }

  public ClientChecks clientChecks() {
    return clientChecks;
  }

  public AffectedChecks affected() {
    return affected;
  }

  public LostUpdates lostUpdates() {
    return lostUpdates;
  }

  public DetectionChecks detection() {
    return detection;
  }
}

package io.palinode.orchestrator.rest;

import com.google.protobuf.ByteString;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.alert.TestedDestination;
import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.Evidence;
import io.palinode.orchestrator.history.Neighbourhood;
import io.palinode.orchestrator.history.WatchedVersions;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.policy.AbsentStores;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.PredicateNeeds;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.request.Effect;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.PlannedRollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.rest.predicate.PredicateCheck;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.step.Unjudged;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A backend that is a map; it shows one violation and one halted rollback. */
final class FakeBackend implements Backend, OperatorBackend {
  static final long NOW_MICROS = 2_000_000_000_000_000L;
  static final String WHY_ALL = "node 1 has no access log";
  private final SnapshotBackend snapshots = new FakeSnapshots();
  private final Map<String, AppliedPredicate> predicates = new TreeMap<>();
  final ApiHistory history = new ApiHistory(2);
  final WatchedVersions watched = history.watched();
  final List<String> audited = new CopyOnWriteArrayList<>();

  /** What an examination of the cluster waits for. */
  Runnable examination = () -> {};

  volatile List<String> open = List.of();
  volatile boolean unavailable;
  volatile Set<String> stores = Set.of();
  volatile long acknowledged;
  volatile ServingNodes serving = ServingNodes.NONE;
  volatile @Nullable String renewed;
  volatile @Nullable RollbackRequest wished;
  volatile @Nullable String witnessText;
  volatile List<CandidateRecord> candidates = List.of();
  volatile @Nullable String trouble;
  volatile @Nullable String failure;
  volatile List<Wait> waits = List.of();
  volatile long safePoint = Hlc.ofMicros(90);
  volatile List<ReceivedViolation> violations = List.of();

  FakeBackend() {
    rollbackRecords().forEach(history::took);
  }

  @Override
  public List<AppliedPredicate> predicates() {
    return List.copyOf(predicates.values());
  }

  @Override
  public @Nullable AppliedPredicate predicate(String name) {
    return predicates.get(name);
  }

  @Override
  public ApiHistory history() {
    return history;
  }

  @Override
  public PredicateCheck check(String document, String source) {
    List<Predicate> all = Predicates.parseAll(document, source);
    return PredicateCheck.of(document, source, all, this::predicate, stores);
  }

  private AppliedPredicate applied(Predicate p) {
    AbsentStores absent = AbsentStores.of(PredicateNeeds.of(p).stores(), stores);
    return new AppliedPredicate(p.name(), version(p.name()), Predicates.toYaml(p), absent);
  }

  @Override
  public List<AppliedPredicate> apply(String document, String source) {
    if (unavailable) {
      throw new UnavailableException("Kafka is away");
    }
    List<AppliedPredicate> applied =
        Predicates.parseAll(document, source).stream().map(p -> applied(p)).toList();
    applied.forEach(p -> predicates.put(p.name(), p));
    return applied;
  }

  void put(AppliedPredicate predicate) {
    predicates.put(predicate.name(), predicate);
  }

  private long version(String name) {
    AppliedPredicate before = predicates.get(name);
    return before == null ? 1 : before.version() + 1;
  }

  @Override
  public AppliedPredicate applyOne(
      String document, String name, Consumer<@Nullable AppliedPredicate> check) {
    check.accept(predicates.get(name));
    String found = Predicates.parse(document, name).name();
    if (!found.equals(name)) {
      throw new PredicateException("not for '%s': '%s'".formatted(name, found));
    }
    return apply(document, name).get(0);
  }

  @Override
  public boolean delete(String name, Consumer<@Nullable AppliedPredicate> check) {
    if (!predicates.containsKey(name)) {
      return false;
    }
    check.accept(predicates.get(name));
    return predicates.remove(name) != null;
  }

  @Override
  public PlannedRollback plan(RollbackRequest wish) throws RefusedException {
    wished = wish;
    if (wish.undoes() > 0) {
      throw new RefusedException("rollback %d cannot be undone".formatted(wish.undoes()));
    }
    EffectReported reported =
        EffectReported.newBuilder()
            .setReach(Hlc.ofMicros(5))
            .setWrites(7)
            .setFirstWrites(3)
            .setFirstKeys(2)
            .addClients("alice")
            .setClientsTotal(1)
            .build();
    long target = wish.snapshot() == null ? wish.target() : cut(wish.snapshot());
    Effect effect =
        new Effect(target, Hlc.ofMicros(900), List.of(reported), List.of(), 150_000, WHY_ALL);
    return PlannedRollback.of("abc", wish, effect);
  }

  /** The nodes reach the cut of all snapshots but {@code old}. */
  private static long cut(String snapshot) {
    return Hlc.ofMicros(snapshot.equals("old") ? 4 : 6);
  }

  @Override
  public PlannedRollback plannedNow(String id) throws RefusedException {
    PlannedRollback planned = planned(id);
    return planned.again(planned.effect());
  }

  @Override
  public PlannedRollback planned(String id) throws RefusedException {
    if (!id.equals("abc")) {
      throw new RefusedException("no plan '%s' is known".formatted(id));
    }
    return plan(RollbackRequest.to("r", Hlc.ofMicros(800)));
  }

  @Override
  public Rollback run(RollbackRequest wish, String user) {
    wished = wish;
    return rollbacks(1).get(0);
  }

  @Override
  public void cancel(long epoch, String user) throws RefusedException {
    throw new RefusedException("rollback %d is past its commit point".formatted(epoch));
  }

  private static List<ControlRecord> rollbackRecords() {
    PlanOpened opened =
        PlanOpened.newBuilder()
            .setTarget(Hlc.of(499, 7))
            .setRequest("r")
            .setReason("by hand")
            .build();
    Paused paused = Paused.newBuilder().setNode(1).setReach(Hlc.ofMicros(5)).build();
    return List.of(
        ControlRecord.newBuilder().setEpoch(1).setAtMicros(1_000).setPlanOpened(opened).build(),
        ControlRecord.newBuilder().setEpoch(1).setAtMicros(3_500).setPaused(paused).build());
  }

  @Override
  public List<ReceivedViolation> violations(int limit) {
    if (!violations.isEmpty()) {
      return violations.subList(0, Math.min(limit, violations.size()));
    }
    VariableVersion value =
        VariableVersion.newBuilder()
            .setKey(ByteString.copyFromUtf8("cs_1"))
            .setValue(ByteString.copyFrom(new byte[] {(byte) 0xff}))
            .setClock(ByteString.fromHex("0a1b"))
            .build();
    Witness witness =
        Witness.newBuilder()
            .setStart(CandidateRecords.encode(Hvc.of(0, Hlc.of(500, 7), Hlc.ofMicros(20))))
            .addValues(value)
            .build();
    Violation violation =
        Violation.newBuilder()
            .setId("v1")
            .setPredicate("p")
            .setPredicateVersion(3)
            .setEpsilon("10ms")
            .setGrade(ViolationGrade.DEFINITE)
            .setViolate(Hlc.of(500, 7))
            .addWitnesses(witness)
            .build();
    return List.of(
        ReceivedViolation.first(violation, 2_000, false)
            .with(Command.Outcome.ROLLBACK, "")
            .asPhantom());
  }

  @Override
  public @Nullable ReceivedViolation violation(String id) {
    return id.equals("v1") ? violations(1).get(0) : null;
  }

  @Override
  public @Nullable PortableWitness witness(String id) throws RefusedException {
    ReceivedViolation known = violation(id);
    return known == null ? null : Evidence.of(known.violation(), witnessText);
  }

  @Override
  public Neighbourhood neighbourhood(Violation violation) {
    Neighbourhood found = new Neighbourhood(violation);
    candidates.forEach(found::read);
    return found;
  }

  @Override
  public List<Rollback> rollbacks(int limit) {
    ControlRecord opened =
        ControlRecord.newBuilder()
            .setEpoch(1)
            .setAtMicros(1_000)
            .setPlanOpened(PlanOpened.newBuilder().setPredicate("p"))
            .build();
    ControlRecord halted =
        ControlRecord.newBuilder()
            .setEpoch(1)
            .setAtMicros(3_000)
            .setHalted(Halted.newBuilder().setReason("out of reach"))
            .build();
    return List.of(Rollback.opened(opened).after(halted));
  }

  @Override
  public @Nullable Rollback rollback(long epoch) {
    return epoch == 1 ? rollbacks(1).get(0) : null;
  }

  @Override
  public void intervene(long epoch, Intervention intervention, String user)
      throws RefusedException {
    RollbackMachine.requirePossible(
        MachineState.initial(RollbackSettings.of(1)), epoch, intervention);
  }

  @Override
  public void endAsIs(long epoch, Set<Integer> stopped, String user) throws RefusedException {
    throw new RefusedException("rollback %d as it is, without %s".formatted(epoch, stopped));
  }

  @Override
  public List<NodeStatus> nodes() {
    return List.of(new NodeStatus(0, 1, 1, Hlc.ofMicros(7), "", "", "0.1.0", "paused", 5));
  }

  @Override
  public List<Unjudged> unjudged() {
    return List.of(new Unjudged(0, Hlc.ofMicros(70), "detection met its limits"));
  }

  @Override
  public void answer(long number, boolean approve, String user) throws RefusedException {
    throw new RefusedException("no rollback %d waits for approval".formatted(number));
  }

  @Override
  public void renew(String predicate, String user) throws RefusedException {
    renewed = predicate;
  }

  @Override
  public OperatorBackend operator() {
    return this;
  }

  @Override
  public SnapshotBackend snapshots() {
    return snapshots;
  }

  @Override
  public Status status() {
    return new Status(
        3,
        null,
        null,
        null,
        null,
        serving,
        safePoint,
        10,
        Hlc.ofMicros(95),
        5,
        null,
        0,
        0,
        1,
        1,
        1,
        1,
        2,
        2,
        List.of(),
        GateStatus.OPEN,
        open,
        List.of(),
        trouble,
        failure);
  }

  @Override
  public Judgement judgement() {
    return new Judgement(waits, true, 0, NOW_MICROS, NOW_MICROS);
  }

  @Override
  public List<Finding> doctor() {
    examination.run();
    return List.of(
        Finding.ok("orchestrator", "works, epoch 0"),
        Finding.fault("node 1", "has never joined", "start it"));
  }

  @Override
  public void acknowledge(long toNumber, String user) {
    acknowledged = toNumber;
  }

  @Override
  public List<TestedDestination> testAlerts(@Nullable String destination) {
    return List.of(
        new TestedDestination("console", true, "see the output of the orchestrator"),
        new TestedDestination("webhook:h", false, "HTTP status 404"));
  }

  @Override
  public void audit(String line) {
    audited.add(line);
  }

  @Override
  public @Nullable String scrape() {
    return null;
  }
}

package io.palinode.orchestrator.kafka;

import static io.palinode.orchestrator.kafka.doctor.Examination.others;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.DetectionLatency;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.alert.AlertCauses;
import io.palinode.orchestrator.alert.AlertDispatcher;
import io.palinode.orchestrator.alert.TestedDestination;
import io.palinode.orchestrator.health.Doctor;
import io.palinode.orchestrator.health.FailedPart;
import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeReports;
import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.Evidence;
import io.palinode.orchestrator.history.Neighbourhood;
import io.palinode.orchestrator.kafka.candidates.CandidatesReader;
import io.palinode.orchestrator.kafka.doctor.Examination;
import io.palinode.orchestrator.metrics.OrchestratorMetrics;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.PredicateTexts;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.Backend;
import io.palinode.orchestrator.rest.OperatorBackend;
import io.palinode.orchestrator.rest.RestServer;
import io.palinode.orchestrator.rest.SnapshotBackend;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.rest.predicate.PredicateCheck;
import io.palinode.orchestrator.snapshot.SnapshotSettings;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.state.Unwritten;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.step.Unjudged;
import io.palinode.orchestrator.violations.FoundViolations;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.Topics;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.signing.DecisionSigner;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running orchestrator with its API. Thread-safe. If a log cannot be read or a bug appears, it
 * stops with an alert and shows the cause in {@link #status}. A restart continues from the logs.
 */
public final class Orchestrator implements Backend, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Orchestrator.class);
  private static final int PREDICATE_REQUEST_MAX = 1 << 20;
  private static final Duration PRODUCER_CLOSE_MAX = Duration.ofSeconds(2);

  /** An append ends within this time, or within half of it more if metadata is missing. */
  static final Duration APPEND_MAX = Duration.ofSeconds(6);

  private final OrchestratorConfig config;
  private final MeterRegistry meters;
  private final LongSupplier wallMicros = SystemMicros.CLOCK;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>(Status.REPLAYING);
  private final ApiHistory memory;
  private final PredicateTexts texts = new PredicateTexts();
  private final DetectionLatency latency = new DetectionLatency();
  private final RefusedRecords refused = new RefusedRecords();
  private final OrchestratorMetrics metrics;
  private final RestServer rest;
  private final Producer<byte[], byte[]> predicateProducer;
  private final PredicateRegistry registry;
  private final AuditTopic audit;
  private final ControlWriter control;
  private final RollbackLoop loop;
  private final JudgementWatch watch;
  private final SnapshotRequests snapshots;
  private final RollbackRequests rollbacks;
  private final Logs logs;
  private final NodeReports reports;
  private final AlertDispatcher alerts;
  private final CandidatesReader candidates;

  private Orchestrator(OrchestratorConfig config, MeterRegistry meters, Consumer<String> console) {
    KafkaSettings kafka = config.kafka();
    Topics topics = config.topics();
    this.config = config;
    this.meters = meters;
    this.candidates = new CandidatesReader(kafka, topics);
    this.reports = new NodeReports(config.rollback().nodes());
    // First the steps that may fail: reading keys, and resolving a broker's address.
    DecisionSigner signer = DecisionSigner.of(kafka.security());
    predicateProducer =
        kafka.newBoundedProducer(
            topics.prefix() + "-predicates-writer", APPEND_MAX, PREDICATE_REQUEST_MAX);
    audit = new AuditTopic(kafka, topics, APPEND_MAX);
    control = ControlWriter.connect(kafka, topics, reports::naming, signer, this::appendFailed);
    memory = new ApiHistory(config.rollback().nodes());
    metrics = new OrchestratorMetrics(meters);
    metrics.refused(refused, List.of(topics.predicates(), topics.control(), topics.violations()));
    rest = new RestServer(config.rest(), this);
    alerts = new AlertDispatcher(config.alerts(), kafka, console, rest::url, wallMicros);
    registry =
        new PredicateRegistry(
                predicateProducer,
                topics.predicates(),
                texts,
                config.predicates(),
                config.alerts(),
                wallMicros)
            .refusingRollbacks(memory::watchedOnly, reports)
            .judgedBy(memory::nodes);
    Effects effects =
        new Effects(memory, latency, metrics, control::append, this::raise, alerts::raiseAgain);
    RefusedEvents events = new RefusedEvents(topics, refused);
    loop = new RollbackLoop(config.rollback(), wallMicros, effects, events, this::fail);
    watch =
        new JudgementWatch(
            kafka, loop::state, () -> reports.of(memory.nodes()), wallMicros, this::raise);
    snapshots =
        new SnapshotRequests(
            SnapshotSettings.of(config.rollback().nodes()),
            wallMicros,
            control::append,
            this::requireWorking);
    rollbacks =
        new RollbackRequests(loop, memory, wallMicros, control::append, this::requireWorking);
    Logs.ControlRecords others =
        (key, record) -> {
          control.read(key, record);
          snapshots.read(record);
          rollbacks.read(record);
          reported(record);
        };
    logs =
        new Logs(
            kafka,
            topics,
            loop,
            others,
            snapshots::start,
            registry,
            refused,
            wallMicros,
            this::fail,
            this::jobRecord);
  }

  /**
   * Starts all parts and returns when the logs are replayed and the machine acts. One thread passes
   * {@code console} one line per alert. The API also serves a {@link PrometheusMeterRegistry}.
   *
   * @throws io.palinode.orchestrator.rest.ListenException if the API cannot listen
   * @throws UnavailableException if the logs cannot be replayed in time
   */
  public static Orchestrator start(
      OrchestratorConfig config, MeterRegistry meters, Consumer<String> console) {
    Orchestrator orchestrator = new Orchestrator(config, meters, console);
    try {
      orchestrator.begin();
      return orchestrator;
    } catch (RuntimeException e) {
      orchestrator.close();
      throw e;
    }
  }

  /** The address of the API: {@code http://host:port}. */
  public String url() {
    return rest.url();
  }

  /** The latencies of violations since the start, or since its reset. */
  public DetectionLatency latency() {
    return latency;
  }

  @Override
  public List<AppliedPredicate> predicates() {
    return registry.all();
  }

  @Override
  public @Nullable AppliedPredicate predicate(String name) {
    return registry.get(name);
  }

  @Override
  public ApiHistory history() {
    return memory;
  }

  @Override
  public PredicateCheck check(String document, String source) {
    return registry.check(document, source);
  }

  @Override
  public List<AppliedPredicate> apply(String document, String source) {
    requireWorking();
    return registry.apply(document, source);
  }

  @Override
  public AppliedPredicate applyOne(
      String document, String name, Consumer<@Nullable AppliedPredicate> check) {
    requireWorking();
    return registry.applyOne(document, name, check);
  }

  @Override
  public boolean delete(String name, Consumer<@Nullable AppliedPredicate> check) {
    requireWorking();
    return registry.delete(name, check);
  }

  @Override
  public List<ReceivedViolation> violations(int limit) {
    return memory.violations(limit, loop.state());
  }

  @Override
  public @Nullable ReceivedViolation violation(String id) {
    ReceivedViolation received = memory.violation(id);
    return received == null ? null : received.asOf(loop.state());
  }

  @Override
  public @Nullable PortableWitness witness(String id) throws RefusedException {
    ReceivedViolation received = memory.violation(id);
    if (received == null) {
      return null;
    }
    Violation violation = received.violation();
    return Evidence.of(
        violation, texts.get(violation.getPredicate(), violation.getPredicateVersion()));
  }

  @Override
  public Neighbourhood neighbourhood(Violation violation) {
    return candidates.around(violation);
  }

  @Override
  public List<Rollback> rollbacks(int limit) {
    return memory.rollbacks(limit).stream().map(this::shown).toList();
  }

  /** Reads the state before the history, so that a plan that just resumed is not shown as over. */
  private Rollback shown(Rollback known) {
    return loop.state().log().plans().serving().shown(known);
  }

  @Override
  public List<NodeStatus> nodes() {
    return memory.nodes().stream().map(node -> node.with(reports.versions())).toList();
  }

  @Override
  public Status status() {
    MachineState state = loop.state();
    FoundViolations found = state.found();
    long safePoint = state.log().safePoint();
    Plan plan = state.log().plan();
    PastPlan abandoned = state.abandoned();
    return new Status(
        state.log().epoch(),
        plan == null ? null : plan.epoch(),
        RollbackMachine.phase(state),
        plan == null || plan.phase() != Phase.HALTED ? null : plan.failure(),
        abandoned == null ? null : abandoned.epoch(),
        state.log().plans().serving(),
        safePoint,
        lagMicros(safePoint),
        found.judged(),
        lagMicros(found.judged()),
        state.heldAt() == FoundViolations.NOT_HELD ? null : Math.max(safePoint, state.heldAt()),
        state.unacknowledgedGaps(),
        state.log().coverage().found(),
        memory.violationsTotal(),
        memory.phantomsTotal(),
        memory.rollbacksTotal(),
        registry.all().size(),
        config.rollback().nodes(),
        memory.nodes().size(),
        state.log().frequent().sequentialAt(wallMicros.getAsLong()),
        GateStatus.of(state),
        watch.open(reports.open()),
        reports.unrestorable(),
        trouble(state),
        failure.get());
  }

  /** What the orchestrator waits for or cannot write; null: nothing. */
  private @Nullable String trouble(MachineState state) {
    Unwritten unwritten = state.outbox().unwritten();
    String own = unwritten == null ? null : unwritten.text(wallMicros.getAsLong());
    Stream<@Nullable String> all = Stream.of(watch.trouble(), own, snapshots.trouble());
    return all.filter(Objects::nonNull).findFirst().orElse(null);
  }

  @Override
  public Judgement judgement() {
    return watch.now();
  }

  /** Reports a failed part, named by {@code key}. Judgement waits until {@link #partRuns}. */
  public void partFailed(String key, FailedPart part) {
    watch.failed(key, part);
  }

  /** Reports that the part runs again. */
  public void partRuns(String key) {
    watch.runs(key);
  }

  @Override
  public List<Finding> doctor() {
    return Doctor.examine(
        new Doctor.Known(
            status(),
            watch.now(),
            watch.versions(reports.versions()),
            memory.nodes(),
            Examination.kafka(config.kafka(), config.topics()),
            reports.findings(wallMicros.getAsLong(), watch.answersSinceMicros()),
            others(registry.all(), registry.unjudged(), memory.watched(), alerts.counts())));
  }

  @Override
  public List<Unjudged> unjudged() {
    return Unjudged.of(loop.state());
  }

  @Override
  public @Nullable Rollback rollback(long epoch) {
    Rollback known = memory.rollback(epoch);
    return known == null ? null : shown(known);
  }

  @Override
  public OperatorBackend operator() {
    return rollbacks;
  }

  @Override
  public SnapshotBackend snapshots() {
    return snapshots;
  }

  @Override
  public List<TestedDestination> testAlerts(@Nullable String destination) {
    return alerts.test(destination, wallMicros.getAsLong());
  }

  @Override
  public void audit(String line) {
    audit.append(line);
  }

  @Override
  public @Nullable String scrape() {
    return meters instanceof PrometheusMeterRegistry prometheus ? prometheus.scrape() : null;
  }

  /** Ends all threads, within 30 s at most. May be called twice. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    failure.set("the orchestrator is closed");
    rest.close();
    watch.close();
    logs.close();
    snapshots.close();
    loop.close();
    control.close();
    audit.close();
    predicateProducer.close(PRODUCER_CLOSE_MAX);
    alerts.close();
    metrics.close();
  }

  private void begin() {
    rest.start();
    alerts.start();
    gauges();
    loop.start();
    try {
      logs.replay(config.startMax());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while the logs were replayed", e);
    }
    failure.compareAndSet(Status.REPLAYING, null);
    watch.start(registry::unjudged);
    alerts.watch(new AlertCauses(loop::state, memory, watch::now));
    log.info("orchestrator=LIVE epoch={} url={}", loop.state().log().epoch(), rest.url());
  }

  private void gauges() {
    OrchestratorGauges gauges = new OrchestratorGauges(metrics, loop::state, wallMicros);
    gauges.add(alerts, logs);
    gauges.addSafePointLag(() -> lagMicros(loop.state().log().safePoint()));
    gauges.addReports(config.rollback().nodes(), reports, wallMicros);
    gauges.addWork(
        () -> registry.all().size(),
        () -> failure.get() == null,
        () -> trouble(loop.state()) != null);
    metrics.waits(config.rollback().nodes(), watch::now);
  }

  /** Before the first HLC, the time since the cluster waits for one. */
  private long lagMicros(long hlc) {
    long since = hlc == 0 ? watch.now().unjudgedSinceMicros() : Hlc.micros(hlc);
    return Math.max(0, wallMicros.getAsLong() - since);
  }

  private void jobRecord(ViolationRecord record, long writtenMicros) {
    watch.read(record, writtenMicros);
    // Replayed violations were found during an earlier run.
    if (record.hasViolation() && failure.get() == null) {
      snapshots.violationFound(record.getViolation().getViolate());
    }
    if (record.hasDetecting()) {
      Detecting detecting = record.getDetecting();
      memory.read(detecting);
      texts.learn(detecting.getPredicate(), detecting.getVersion(), detecting.getYaml());
    }
  }

  /** Raises alerts, except those of replayed records. */
  private void reported(ControlRecord record) {
    if (failure.get() == null) {
      reports.read(record, wallMicros.getAsLong()).forEach(this::raise);
    }
  }

  private void raise(Alert alert) {
    alerts.raise(reports.naming(alert));
  }

  private void appendFailed(ControlRecord record, AppendFailure failed, String reason) {
    if (record.hasSnapshot()) {
      snapshots.appendFailed(record.getSnapshot(), failed, reason);
      return;
    }
    if (!record.hasSafePoint()) {
      // Safe points are frequent; the status and an alert show their failures.
      log.warn("plan={} step={} not written: {}", record.getEpoch(), record.getStepCase(), reason);
    }
    rollbacks.appendFailed(record, failed, reason);
    loop.appendFailed(record, failed, reason);
  }

  private void fail(RuntimeException cause) {
    if (closed.get()) {
      return;
    }
    String reason =
        "the orchestrator has stopped: " + cause + "; start 'palinode run orchestrator' again";
    log.error("orchestrator=STOPPED", cause);
    failure.set(reason);
    raise(
        Alert.toOperator(
            Alert.Kind.ORCHESTRATOR_STOPPED, Map.of(), reason, wallMicros.getAsLong()));
  }

  private void requireWorking() {
    String reason = failure.get();
    if (reason != null) {
      throw new UnavailableException(reason);
    }
  }
}

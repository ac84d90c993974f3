package io.palinode.store.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.kafka.NodeDetector;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.detector.kafka.NodeMeters;
import io.palinode.detector.kafka.PatientProducer;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.store.binding.Serving;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.control.ControlExecution;
import io.palinode.store.control.EffectAnswers;
import io.palinode.store.control.NodeControl;
import io.palinode.store.snapshot.SnapshotAnswers;
import io.palinode.wire.ControlKeys;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.signing.DecisionCheck;
import io.palinode.wire.v1.ControlRecord;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local detector and the control duties of one node, with their threads.
 *
 * <p>The node serves no request until {@link #start} has read from the control log which epoch it
 * is in, and has called {@link Serving#resume}. If a plan is open, the node stays paused and takes
 * part.
 */
public final class ClusterMember implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterMember.class);
  private static final double MICROS_PER_SECOND = 1_000_000.0;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  private final NodeDetectorConfig config;
  private final NodeDetector detector;
  private final Producer<byte[], byte[]> control;
  private final ControlTail steps;
  private final LogTail controlTail;
  private final SnapshotTail snapshots;
  private final EffectTail effects;
  private final NodeReporter reporter;
  private final OwnIncarnations incarnations;
  private final NodeMeters meters;

  private ClusterMember(
      StoreBinding store,
      LocalSnapshots localSnapshots,
      NodeDetectorConfig config,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    this.config = config;
    // First the step that may fail.
    DecisionCheck decisions = DecisionCheck.of(config.kafka().security());
    String name = "palinode-node-" + store.node() + "-control";
    String topic = config.topics().control();
    control = PatientProducer.create(config.kafka().withLingerMs(0), name);
    ControlPublisher publisher = new ControlPublisher(control, topic, new ControlKeys());
    meters = new NodeMeters(registry, store.node());
    detector = detector(store, config, publisher, epochMicros);

    steps =
        new ControlTail(
            NodeControl.initial(store.node(), store.nodes(), store.incarnation()),
            new ControlExecution(
                    store, detector.detector(), publisher, epochMicros, detector::awaitRecorded)
                .restoringFrom(localSnapshots));
    snapshots =
        new SnapshotTail(
            store.node(),
            new SnapshotAnswers(store.node(), localSnapshots, pace(), publisher, epochMicros));
    effects =
        new EffectTail(
            store.node(), store.nodes(), new EffectAnswers(store, publisher, epochMicros));
    PeerClocks clocks = new PeerClocks(store.node(), epochMicros);
    reporter = new NodeReporter(store, epochMicros, publisher, clocks, config.open());
    incarnations = new OwnIncarnations(store.node());
    RefusedRecords refused = new RefusedRecords();
    controlTail =
        new LogTail(
            name,
            config.kafka(),
            LogTail.Source.all(topic, LogTail.From.BEGINNING),
            new ControlListeners(
                new RecordReader<>(
                    ControlRecord.parser(),
                    ControlRecordCheck::require,
                    decisions,
                    store.nodes(),
                    refused),
                clocks,
                steps,
                List.of(
                    snapshots,
                    effects,
                    incarnations,
                    new ServingTail(store.node(), store::served))));
    addMeters();
    addReach(store, epochMicros);
    meters.add(refused, List.of(topic));
  }

  /** Closes what is open already if the detector cannot be made. */
  private NodeDetector detector(
      StoreBinding store,
      NodeDetectorConfig config,
      ControlPublisher publisher,
      LongSupplier epochMicros) {
    try {
      return new NodeDetector(store, config, publisher, epochMicros, meters);
    } catch (RuntimeException e) {
      control.close(CLOSE_MAX);
      meters.close();
      throw e;
    }
  }

  private void addMeters() {
    meters.count("palinode.control.steps", "Control records taken", steps, ControlTail::steps);
    meters.count("palinode.control.failures", "Commands that failed", steps, ControlTail::failures);
    meters.count(
        "palinode.snapshot.failures",
        "Parts of snapshots that could not be taken, filed or removed",
        snapshots,
        SnapshotTail::failures);
    meters.count(
        "palinode.effect.failures",
        "Questions what a rollback would change that were not answered",
        effects,
        EffectTail::failures);
    meters.gauge(
        "palinode.detector.up",
        "1 while all threads of the detector run",
        this,
        m -> m.isRunning() ? 1 : 0);
  }

  private void addReach(StoreBinding store, LongSupplier epochMicros) {
    meters.gauge(
        "palinode.store.reach.seconds",
        "How far back the node can restore",
        store,
        of -> Math.max(0, epochMicros.getAsLong() - Hlc.micros(of.reach())) / MICROS_PER_SECOND);
    meters.gauge(
        "palinode.control.lag.records",
        "Records of the control log that the node has not read",
        controlTail,
        LogTail::lag);
  }

  /**
   * Watches {@code store} from now on. Returns when the node has joined: predicates and control log
   * read, the intervals that hold opened, the store serving or paused. Throws {@link
   * IllegalStateException} if that takes longer than the configuration allows, and {@link
   * org.apache.kafka.common.KafkaException} if the candidates topic does not exist.
   *
   * @param snapshots of the same node
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public static ClusterMember start(
      StoreBinding store,
      LocalSnapshots snapshots,
      NodeDetectorConfig config,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    ClusterMember member = new ClusterMember(store, snapshots, config, epochMicros, registry);
    try {
      member.start();
    } catch (IllegalStateException e) {
      member.close();
      throw e;
    }
    log.info("node={} incarnation={} state=JOINED", store.node(), store.incarnation());
    return member;
  }

  private void start() {
    detector.start();
    // Only now: the state is evaluated once, with all predicates known.
    controlTail.start();
    reporter.start();
    awaitBegun();
  }

  /** Does not wait for the duties of an open plan: a restore may take long. */
  private void awaitBegun() {
    long deadline = System.nanoTime() + config.startTimeout().toNanos();
    try {
      while (!steps.awaitBegun(LOOK_EVERY)) {
        if (controlTail.failure() != null || System.nanoTime() - deadline >= 0) {
          throw new IllegalStateException(
              "a node must be able to serve, or to take part in the open plan, in time: topic=%s timeout=%s bootstrap=%s"
                  .formatted(
                      config.topics().control(),
                      config.startTimeout(),
                      config.kafka().bootstrapServers()),
              controlTail.failure());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("a start must not be interrupted", e);
    }
  }

  /** The newest incarnation of the node that the control log held at its start; 0: none. */
  public long newestBefore() {
    return incarnations.newest();
  }

  /** False if one of the threads ended by a failure, which is in the log. */
  public boolean isRunning() {
    return detector.isRunning() && controlTail.isRunning();
  }

  /** Why it reads a topic no more; null while it reads both topics. */
  public @Nullable String readFailure() {
    RuntimeException ended = controlTail.failure();
    return ended == null ? detector.readFailure() : ended.getMessage();
  }

  /**
   * Why the node does no control duty any more. Else the control duty that fails, with the reason;
   * null if there is none. The node retries a duty each second, and a plan waits for it.
   */
  public @Nullable String controlFailure() {
    String ended = readFailure();
    return ended == null ? steps.failing() : ended;
  }

  /** Publishes a coverage gap for a write that the store did not pass on. */
  public void missed() {
    detector.detector().missed();
  }

  /**
   * Publishes a coverage gap from {@code sinceHlc} to now. See {@link LocalDetector#publishGap}.
   */
  public void publishGap(long sinceHlc) {
    detector.detector().publishGap(sinceHlc);
  }

  /**
   * Publishes a last coverage gap and stops. For a store that passes on no more writes.
   *
   * @param why for operators; not empty
   */
  public void giveUp(String why) {
    reporter.off(why);
    detector.detector().giveUp();
  }

  /** Reports whether the node serves no client until a plan has compared all keys. */
  public void awaitsRepair(boolean awaits) {
    reporter.awaitsRepair(awaits);
  }

  /** Ends the duties, then closes the detector; see {@link NodeDetector#close}. */
  @Override
  public void close() {
    reporter.close();
    controlTail.close();
    snapshots.close();
    effects.close();
    detector.close();
    control.close(CLOSE_MAX);
    meters.close();
  }

  private static Pace pace() {
    return new Pace(Pace.SHARE_DEFAULT, System::nanoTime, LockSupport::parkNanos);
  }
}

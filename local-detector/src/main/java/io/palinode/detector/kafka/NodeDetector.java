package io.palinode.detector.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.Serving;
import io.palinode.detector.binding.StoreBinding;
import io.palinode.detector.control.ControlExecution;
import io.palinode.detector.control.EffectAnswers;
import io.palinode.detector.control.NodeControl;
import io.palinode.detector.control.SnapshotAnswers;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordChecks;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PredicateRecord;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The detector and the control duties of one node, with their threads.
 *
 * <p>The node serves nothing until {@link #start} has learned from the control log which epoch it
 * is in, and has called {@link Serving#resume}; when a plan is open it stays paused and takes part.
 */
public final class NodeDetector implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NodeDetector.class);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final Duration RECORDED_WAIT_MAX = Duration.ofSeconds(10);
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  private final LocalDetector detector;
  private final Producer<byte[], byte[]> candidates;
  private final Producer<byte[], byte[]> control;
  private final CandidateEmitter emitter;
  private final LogTail predicateTail;
  private final ControlTail steps;
  private final LogTail controlTail;
  private final SnapshotTail snapshots;
  private final EffectTail effects;
  private final NodeReporter reporter;
  private final OwnIncarnations incarnations;
  private final NodeMeters meters;
  private final RefusedRecords refused = new RefusedRecords();

  private NodeDetector(
      StoreBinding store,
      LocalSnapshots localSnapshots,
      NodeDetectorConfig config,
      CandidatePartitions partitions,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    CandidateRing ring = new CandidateRing(config.ringCapacity(), partitions.count());
    detector = new LocalDetector(store, ring, partitions, config.openIntervalsMax());

    String name = "palinode-node-" + store.node();
    candidates = PatientProducer.create(config.kafka(), name + "-candidates");
    CandidateWriter writer =
        new CandidateWriter(
            candidates,
            config.topics().candidates(),
            new CandidateEncoder(store.node(), store.incarnation()),
            ring,
            detector::lost);
    emitter =
        new CandidateEmitter(store.node(), detector, ring, writer, config.pace(), epochMicros)
            .reporting(store::unpromisedMicros);

    control = PatientProducer.create(config.kafka().withLingerMs(0), name + "-control");
    ControlPublisher publisher = new ControlPublisher(control, config.topics().control());
    PredicateTail predicates =
        new PredicateTail(
            new RecordReader<>(
                PredicateRecord.parser(), RecordChecks::predicate, store.nodes(), refused),
            detector,
            new WatchedVersions(store.node(), store.incarnation(), epochMicros, publisher));
    predicateTail = tail(config, config.topics().predicates(), name + "-predicates", predicates);

    steps =
        new ControlTail(
            NodeControl.initial(store.node(), store.nodes(), store.incarnation()),
            new ControlExecution(
                    store, detector, publisher, epochMicros, () -> awaitRecorded(writer))
                .restoringFrom(localSnapshots));
    snapshots =
        new SnapshotTail(
            store.node(),
            new SnapshotAnswers(store.node(), localSnapshots, pace(), publisher, epochMicros));
    effects =
        new EffectTail(
            store.node(), store.nodes(), new EffectAnswers(store, publisher, epochMicros));
    reporter = new NodeReporter(store, epochMicros, control, config.topics().control());
    incarnations = new OwnIncarnations(store.node());
    controlTail =
        tail(
            config,
            config.topics().control(),
            name + "-control",
            new ControlListeners(
                new RecordReader<>(
                    ControlRecord.parser(), ControlRecordCheck::require, store.nodes(), refused),
                steps,
                List.of(snapshots, effects, incarnations)));

    meters = new NodeMeters(registry, store.node());
    meters.add(detector);
    meters.add(ring);
    meters.add(writer);
    meters.add(predicates);
    meters.add(steps);
    meters.add(snapshots);
    meters.add(effects);
    meters.add(refused, List.of(config.topics().predicates(), config.topics().control()));
    meters.add(this);
    store.listen(detector);
  }

  /**
   * Watches {@code store} from now on. Returns when the node has joined: predicates and control log
   * read, the intervals that hold opened, the store serving or paused. Throws {@link
   * IllegalStateException} when that takes longer than the configuration allows, and {@link
   * org.apache.kafka.common.KafkaException} when the candidates topic is not there.
   *
   * @param snapshots of the same node
   * @param epochMicros wall clock, microseconds since the epoch
   */
  public static NodeDetector start(
      StoreBinding store,
      LocalSnapshots snapshots,
      NodeDetectorConfig config,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    CandidatePartitions partitions;
    try (TopicsAdmin admin = new TopicsAdmin(config.kafka(), config.topics())) {
      partitions = new CandidatePartitions(admin.candidatePartitions());
    }
    NodeDetector detector =
        new NodeDetector(store, snapshots, config, partitions, epochMicros, registry);
    try {
      detector.start(config);
    } catch (IllegalStateException e) {
      detector.close();
      throw e;
    }
    log.info("node={} incarnation={} state=JOINED", store.node(), store.incarnation());
    return detector;
  }

  private void start(NodeDetectorConfig config) {
    emitter.start();
    predicateTail.start();
    await(predicateTail, config.topics().predicates(), config);
    // Only now: the state is evaluated once, with all predicates known.
    controlTail.start();
    reporter.start();
    awaitBegun(config);
  }

  /** Does not wait for the duties of an open plan: a restore may take long. */
  private void awaitBegun(NodeDetectorConfig config) {
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

  /**
   * Call before the node serves. Each partition then holds a record of every incarnation that
   * served requests, even if it is killed at once.
   */
  private static void awaitRecorded(CandidateWriter writer) {
    try {
      if (!writer.awaitRecorded(RECORDED_WAIT_MAX)) {
        throw new IllegalStateException(
            "a node must not serve before each candidates partition holds a record of it: timeout="
                + RECORDED_WAIT_MAX);
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private static void await(LogTail tail, String topic, NodeDetectorConfig config) {
    try {
      if (!tail.awaitCaughtUp(config.startTimeout())) {
        throw new IllegalStateException(
            "a node must reach the end of a topic in time: topic=%s timeout=%s bootstrap=%s"
                .formatted(topic, config.startTimeout(), config.kafka().bootstrapServers()),
            tail.failure());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("a start must not be interrupted: topic=" + topic, e);
    }
  }

  private static LogTail tail(
      NodeDetectorConfig config, String topic, String name, LogTail.Listener listener) {
    return new LogTail(
        name, config.kafka(), LogTail.Source.all(topic, LogTail.From.BEGINNING), listener);
  }

  /** The newest incarnation of the node that the control log held at its start; 0: none. */
  public long newestBefore() {
    return incarnations.newest();
  }

  /** False if one of the threads ended by a failure, which is in the log. */
  public boolean isRunning() {
    return emitter.isRunning() && predicateTail.isRunning() && controlTail.isRunning();
  }

  /**
   * The control duty that fails, with the reason; null if there is none. The node retries it each
   * second, and a plan waits for it.
   */
  public @Nullable String controlFailure() {
    return steps.failing();
  }

  /** Publishes a coverage gap for a write that the store did not pass on. */
  public void missed() {
    detector.missed();
  }

  /**
   * Publishes a coverage gap from {@code sinceHlc} to now. See {@link LocalDetector#publishGap}.
   */
  public void publishGap(long sinceHlc) {
    detector.publishGap(sinceHlc);
  }

  /** Publishes a last coverage gap and stops. For a store that passes on no more writes. */
  public void giveUp() {
    detector.giveUp();
  }

  /**
   * Sends queued records, then publishes {@code Stopped} if no event is missing. Ends within about
   * 30 seconds even without a broker. The store must accept no more writes: a write after this call
   * is missed without a gap.
   */
  @Override
  public void close() {
    reporter.close();
    controlTail.close();
    snapshots.close();
    effects.close();
    predicateTail.close();
    emitter.close(detector.stop());
    candidates.close(CLOSE_MAX);
    control.close(CLOSE_MAX);
    meters.close();
  }

  private static Pace pace() {
    return new Pace(Pace.SHARE_DEFAULT, System::nanoTime, LockSupport::parkNanos);
  }
}

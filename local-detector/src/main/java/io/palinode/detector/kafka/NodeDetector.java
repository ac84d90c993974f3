package io.palinode.detector.kafka;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.ControlLog;
import io.palinode.detector.binding.WatchedStore;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.wire.LogTail;
import io.palinode.wire.RecordChecks;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.PredicateRecord;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * The local detector of one node, with its threads: it reads predicates from their topic and
 * publishes candidates. Thread-safe.
 */
public final class NodeDetector implements AutoCloseable {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final Duration RECORDED_WAIT_MAX = Duration.ofSeconds(10);

  private final NodeDetectorConfig config;
  private final LocalDetector detector;
  private final Producer<byte[], byte[]> candidates;
  private final CandidateWriter writer;
  private final CandidateEmitter emitter;
  private final LogTail predicates;

  /**
   * Throws {@link org.apache.kafka.common.KafkaException} if the candidates topic does not exist.
   *
   * @param control receives the versions that the detector watches
   * @param epochMicros wall clock, microseconds since the epoch
   * @param meters receives the meters of the detector; the caller closes it
   */
  public NodeDetector(
      WatchedStore store,
      NodeDetectorConfig config,
      ControlLog control,
      LongSupplier epochMicros,
      NodeMeters meters) {
    this.config = config;
    CandidatePartitions partitions = partitions(config);
    CandidateRing ring = new CandidateRing(config.ringCapacity(), partitions.count());
    detector = new LocalDetector(store, ring, partitions, config.openIntervalsMax());

    String name = "palinode-node-" + store.node();
    Producer<byte[], byte[]> shared = config.producer();
    candidates =
        shared == null ? PatientProducer.create(config.kafka(), name + "-candidates") : shared;
    writer =
        new CandidateWriter(
            candidates,
            config.topics().candidates(),
            new CandidateEncoder(store.node(), store.incarnation()),
            ring,
            detector::lost);
    emitter =
        new CandidateEmitter(store.node(), detector, ring, writer, config.pace(), epochMicros)
            .reporting(store::unpromisedMicros);

    RefusedRecords refused = new RefusedRecords();
    PredicateTail tail =
        new PredicateTail(
            new RecordReader<>(
                PredicateRecord.parser(), RecordChecks::predicate, store.nodes(), refused),
            detector,
            new WatchedVersions(store.node(), store.incarnation(), epochMicros, control));
    String topic = config.topics().predicates();
    predicates =
        new LogTail(
            name + "-predicates",
            config.kafka(),
            LogTail.Source.all(topic, LogTail.From.BEGINNING),
            tail);

    meters.add(detector);
    meters.add(ring);
    meters.add(writer);
    meters.add(tail);
    meters.add(refused, List.of(topic));
    store.listen(detector);
  }

  private static CandidatePartitions partitions(NodeDetectorConfig config) {
    try (TopicsAdmin admin = new TopicsAdmin(config.kafka(), config.topics())) {
      return new CandidatePartitions(admin.candidatePartitions());
    }
  }

  /**
   * Returns when the detector knows all predicates. It watches nothing before {@link
   * LocalDetector#reset}. Throws {@link IllegalStateException} after the configured time.
   */
  public void start() {
    emitter.start();
    predicates.start();
    String topic = config.topics().predicates();
    try {
      if (!predicates.awaitCaughtUp(config.startTimeout())) {
        throw new IllegalStateException(
            "a node must reach the end of a topic in time: topic=%s timeout=%s bootstrap=%s"
                .formatted(topic, config.startTimeout(), config.kafka().bootstrapServers()),
            predicates.failure());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("a start must not be interrupted: topic=" + topic, e);
    }
  }

  /**
   * Call before the node serves. Each partition then holds a record of every incarnation that
   * served requests, even if it is killed at once.
   */
  public void awaitRecorded() {
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

  public LocalDetector detector() {
    return detector;
  }

  /** False if one of the threads ended by a failure, which is in the log. */
  public boolean isRunning() {
    return emitter.isRunning() && predicates.isRunning();
  }

  /** Why it reads the predicates topic no more; null while it reads. */
  public @Nullable String readFailure() {
    RuntimeException ended = predicates.failure();
    return ended == null ? null : ended.getMessage();
  }

  /**
   * Sends queued records, then publishes {@code Stopped} if no event is missing. Ends within about
   * 30 seconds even without a broker. The store must accept no more writes: a write after this call
   * is missed without a gap.
   */
  @Override
  public void close() {
    predicates.close();
    emitter.close(detector.stop());
    if (config.producer() == null) {
      candidates.close(CLOSE_MAX);
    }
  }
}

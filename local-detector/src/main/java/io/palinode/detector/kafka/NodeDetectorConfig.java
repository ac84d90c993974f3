package io.palinode.detector.kafka;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.time.Duration;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node's detector.
 *
 * @param kafka its linger is that of candidates, which go out in batches already
 * @param ringCapacity candidates that may wait for the producer
 * @param openIntervalsMax intervals that may be open at once
 * @param pace the times at which progress is published
 * @param startTimeout the longest that a node may take to read the predicates, and then the control
 *     log, without the duties of an open plan
 * @param open what other machines may do at the node without proof, for its reports; empty: nothing
 * @param producer of candidates, which nodes of one process share, and which its maker closes;
 *     null: the node makes one
 */
public record NodeDetectorConfig(
    KafkaSettings kafka,
    Topics topics,
    int ringCapacity,
    int openIntervalsMax,
    ProgressPace pace,
    Duration startTimeout,
    String open,
    @Nullable Producer<byte[], byte[]> producer) {
  private static final int RING_CAPACITY = 65_536;
  private static final int OPEN_INTERVALS_MAX = 1_000_000;

  /** The part of the heap that open intervals may take; several nodes may share a process. */
  private static final int HEAP_PART = 8;

  private static final int OPEN_INTERVAL_BYTES = 1_000;
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  public NodeDetectorConfig {
    if (startTimeout.isNegative() || startTimeout.isZero()) {
      throw new IllegalArgumentException(
          "startTimeout must be positive: startTimeout=" + startTimeout);
    }
  }

  /** The defaults. {@code bootstrapServers} are {@code host:port}, separated by commas. */
  public static NodeDetectorConfig of(String bootstrapServers, Topics topics) {
    return of(KafkaSettings.of(bootstrapServers), topics);
  }

  /** The defaults. */
  public static NodeDetectorConfig of(KafkaSettings kafka, Topics topics) {
    long heap = Runtime.getRuntime().maxMemory();
    return new NodeDetectorConfig(
        kafka,
        topics,
        RING_CAPACITY,
        (int) Math.min(OPEN_INTERVALS_MAX, heap / HEAP_PART / OPEN_INTERVAL_BYTES),
        ProgressPace.DEFAULT,
        START_TIMEOUT,
        "",
        null);
  }

  public NodeDetectorConfig withPace(ProgressPace newPace) {
    return new NodeDetectorConfig(
        kafka, topics, ringCapacity, openIntervalsMax, newPace, startTimeout, open, producer);
  }

  public NodeDetectorConfig withStartTimeout(Duration newTimeout) {
    return new NodeDetectorConfig(
        kafka, topics, ringCapacity, openIntervalsMax, pace, newTimeout, open, producer);
  }

  /** How long a producer waits for company; see {@link KafkaSettings}. */
  public NodeDetectorConfig withLingerMs(int lingerMs) {
    return new NodeDetectorConfig(
        kafka.withLingerMs(lingerMs),
        topics,
        ringCapacity,
        openIntervalsMax,
        pace,
        startTimeout,
        open,
        producer);
  }

  public NodeDetectorConfig withOpen(String newOpen) {
    return new NodeDetectorConfig(
        kafka, topics, ringCapacity, openIntervalsMax, pace, startTimeout, newOpen, producer);
  }

  public NodeDetectorConfig withProducer(Producer<byte[], byte[]> newProducer) {
    return new NodeDetectorConfig(
        kafka, topics, ringCapacity, openIntervalsMax, pace, startTimeout, open, newProducer);
  }
}

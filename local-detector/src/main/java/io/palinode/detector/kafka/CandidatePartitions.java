package io.palinode.detector.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.utils.Utils;

/**
 * The partition of a predicate instance {@code <predicate>|<binding>}: what Kafka's default
 * partitioner makes of these bytes as a key, so that other producers agree.
 */
record CandidatePartitions(int count) implements ToIntFunction<String> {
  private static final Duration ASK_MAX = Duration.ofSeconds(2);
  private static final long RETRY_NANOS = 100_000_000;

  CandidatePartitions {
    if (count < 1) {
      throw new IllegalArgumentException("a topic has at least one partition: count=" + count);
    }
  }

  /**
   * As many as the candidates topic has. Waits for the topic to be there until {@code deadline},
   * then throws {@link IllegalStateException}.
   */
  static CandidatePartitions find(
      Consumer<?, ?> consumer, NodeMonitorConfig config, long deadlineNanos) {
    String topic = config.topics().candidates();
    while (deadlineNanos - System.nanoTime() > 0) {
      try {
        List<PartitionInfo> found = consumer.partitionsFor(topic, ASK_MAX);
        if (found != null && !found.isEmpty()) {
          return new CandidatePartitions(found.size());
        }
        LockSupport.parkNanos(RETRY_NANOS);
      } catch (RetriableException notYet) {
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
    throw new IllegalStateException(
        "the candidates topic must be there when a node starts: topic="
            + topic
            + " bootstrap="
            + config.bootstrapServers());
  }

  @Override
  public int applyAsInt(String instance) {
    return Utils.toPositive(Utils.murmur2(instance.getBytes(UTF_8))) % count;
  }
}

package io.palinode.detector.kafka;

import io.palinode.wire.Topics;
import java.time.Duration;

/**
 * What a node's monitor is set to.
 *
 * @param bootstrapServers Kafka's, {@code host:port}, separated by commas
 * @param ringCapacity candidates that may wait for the producer
 * @param openIntervalsMax intervals that may be open at once
 * @param pace how often progress is written
 * @param linger how long the producer may wait for more to send
 * @param startTimeout the longest that a start may take
 */
public record NodeMonitorConfig(
    String bootstrapServers,
    Topics topics,
    int ringCapacity,
    int openIntervalsMax,
    ProgressPace pace,
    Duration linger,
    Duration startTimeout) {
  private static final int RING_CAPACITY = 65_536;
  private static final int OPEN_INTERVALS_MAX = 1_000_000;

  public NodeMonitorConfig {
    if (bootstrapServers.isBlank()) {
      throw new IllegalArgumentException("a monitor needs Kafka's bootstrap servers: ''");
    }
    if (linger.isNegative() || startTimeout.isNegative() || startTimeout.isZero()) {
      throw new IllegalArgumentException(
          "linger must not be negative and startTimeout be positive: linger="
              + linger
              + " startTimeout="
              + startTimeout);
    }
  }

  public static NodeMonitorConfig of(String bootstrapServers, Topics topics) {
    return new NodeMonitorConfig(
        bootstrapServers,
        topics,
        RING_CAPACITY,
        OPEN_INTERVALS_MAX,
        ProgressPace.DEFAULT,
        Duration.ofMillis(1),
        Duration.ofSeconds(60));
  }
}

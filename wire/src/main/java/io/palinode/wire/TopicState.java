package io.palinode.wire;

import java.util.Map;

/**
 * A topic as Kafka has it. Immutable.
 *
 * @param replicas the least number of copies of a partition
 * @param leaderless partitions that cannot be read or written now
 * @param lagging partitions with fewer copies in sync than there are
 * @param settings by Kafka's names; empty: they could not be read
 */
public record TopicState(
    String name,
    int partitions,
    int replicas,
    int leaderless,
    int lagging,
    Map<String, String> settings) {
  public TopicState {
    settings = Map.copyOf(settings);
  }
}

package io.palinode.wire;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;

/**
 * How the topics are laid out.
 *
 * @param candidatePartitions over how many partitions the predicate instances are spread
 * @param replication copies of each topic
 * @param candidateRetention how long a candidate can be read; a job that starts without a
 *     checkpoint sees no further back
 * @param violationRetention how long a violation can be read
 */
public record TopicLayout(
    int candidatePartitions,
    short replication,
    Duration candidateRetention,
    Duration violationRetention) {
  public static final TopicLayout DEFAULT =
      new TopicLayout(4, (short) 1, Duration.ofMinutes(30), Duration.ofDays(7));

  /** Of the control topic, where nodes exchange whole records of keys. */
  public static final int CONTROL_RECORD_BYTES_MAX = 8 << 20;

  /** Of the violations topic, with what Kafka puts around a record. */
  public static final int VIOLATION_RECORD_BYTES_MAX = 1 << 20;

  /**
   * The latest Kafka timestamp of a record after the broker's clock. {@link RecordBounds} relies on
   * it: a record with a timestamp of the year 2041 could have an HLC of that year too.
   */
  public static final Duration TIMESTAMP_AFTER_MAX = Duration.ofHours(1);

  /**
   * The broker then reads each record, and refuses a batch with an unreadable one. Else it accepts
   * such a compressed batch, and readers fail at it each time. No producer here compresses.
   */
  public static final String COMPRESSION = "uncompressed";

  private static final Duration CONTROL_SEGMENT = Duration.ofMinutes(10);

  /** Readers that are late by less than this read all records. */
  private static final Duration CONTROL_LAG = Duration.ofMinutes(10);

  private static final String CONTROL_DIRTY_RATIO = "0.1";
  private static final Duration AUDIT_RETENTION = Duration.ofDays(365);

  /** Some three million lines. */
  private static final long AUDIT_BYTES_MAX = 1L << 30;

  private static final int PARTITIONS_MAX = 1_024;
  private static final int CANDIDATE_SEGMENT_BYTES = 64 << 20;

  public TopicLayout {
    if (candidatePartitions < 1 || candidatePartitions > PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "candidatePartitions must be in [1, "
              + PARTITIONS_MAX
              + "]: candidatePartitions="
              + candidatePartitions);
    }
    if (replication < 1) {
      throw new IllegalArgumentException(
          "replication must be at least 1: replication=" + replication);
    }
    requirePositive("candidateRetention", candidateRetention);
    requirePositive("violationRetention", violationRetention);
  }

  public TopicLayout withCandidatePartitions(int partitions) {
    return new TopicLayout(partitions, replication, candidateRetention, violationRetention);
  }

  public TopicLayout withReplication(short copies) {
    return new TopicLayout(candidatePartitions, copies, candidateRetention, violationRetention);
  }

  List<NewTopic> topics(Topics names) {
    return List.of(
        topic(
            names.candidates(),
            candidatePartitions,
            Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG,
                Long.toString(candidateRetention.toMillis()),
                // Only closed segments are deleted: without a short one, retention would be a week.
                TopicConfig.SEGMENT_MS_CONFIG,
                Long.toString(Math.max(1, candidateRetention.toMillis() / 4)),
                TopicConfig.SEGMENT_BYTES_CONFIG,
                Integer.toString(CANDIDATE_SEGMENT_BYTES))),
        topic(
            names.predicates(),
            1,
            Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT)),
        topic(
            names.violations(),
            1,
            Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG,
                Long.toString(violationRetention.toMillis()),
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                Integer.toString(VIOLATION_RECORD_BYTES_MAX))),
        topic(
            names.control(),
            1,
            Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_COMPACT,
                // Only closed segments are compacted. Each has at most 12,000 safe points.
                TopicConfig.SEGMENT_MS_CONFIG,
                Long.toString(CONTROL_SEGMENT.toMillis()),
                TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG,
                Long.toString(CONTROL_LAG.toMillis()),
                TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
                CONTROL_DIRTY_RATIO,
                // A record with all that a node has of one key may be long.
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                Integer.toString(CONTROL_RECORD_BYTES_MAX))),
        topic(
            names.audit(),
            1,
            Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG,
                Long.toString(AUDIT_RETENTION.toMillis()),
                TopicConfig.RETENTION_BYTES_CONFIG,
                Long.toString(AUDIT_BYTES_MAX))));
  }

  private NewTopic topic(String name, int partitions, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put(
        TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
        Long.toString(TIMESTAMP_AFTER_MAX.toMillis()));
    all.put(TopicConfig.COMPRESSION_TYPE_CONFIG, COMPRESSION);
    return new NewTopic(name, partitions, replication).configs(all);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
    }
  }
}

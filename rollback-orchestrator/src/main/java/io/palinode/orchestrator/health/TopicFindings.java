package io.palinode.orchestrator.health;

import io.palinode.wire.TopicLayout;
import io.palinode.wire.TopicState;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin.BrokerDisks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares Kafka's topics with what Palinode relies on. Pure. */
public final class TopicFindings {
  private static final String CLEANUP = "cleanup.policy";
  private static final String RETENTION = "retention.ms";
  private static final String COMPACT = "compact";
  private static final String DELETE = "delete";
  private static final String FOREVER = "-1";
  private static final String RECORD_BYTES = "max.message.bytes";
  private static final String TIMESTAMP_AFTER = "message.timestamp.after.max.ms";
  private static final String TIMESTAMP_TYPE = "message.timestamp.type";
  private static final String BROKER_TIME = "LogAppendTime";
  private static final String COMPRESSION = "compression.type";

  private TopicFindings() {}

  public static List<Finding> disks(List<BrokerDisks> brokers) {
    return brokers.stream().map(TopicFindings::disks).toList();
  }

  private static Finding disks(BrokerDisks broker) {
    String part = "broker " + broker.broker();
    return switch (broker.answer()) {
      case KNOWN -> free(part, broker.freeBytesMin());
      case WITHOUT_SIZES ->
          Finding.note(part, "reports no free disk space", "update it to Kafka 3.3 or later");
      case REFUSED ->
          Finding.note(
              part,
              "its free disk space may not be read",
              "grant the orchestrator Describe on the cluster; see 'palinode kafka acls'");
      case ABSENT ->
          Finding.fault(
              part,
              "has not reported its disks within 5 s",
              "see whether its process runs, and its log");
    };
  }

  private static Finding free(String part, long bytes) {
    String free = FreeDisk.gib(bytes);
    return FreeDisk.isLow(bytes)
        ? Finding.fault(
            part,
            "only %s are free on its disk; the broker ends when the disk is full".formatted(free),
            "free space on its disk")
        : Finding.ok(part, "%s are free on its disk".formatted(free));
  }

  public static List<Finding> of(Topics names, List<TopicState> topics, int brokers) {
    List<Finding> findings = new ArrayList<>();
    findings.add(Finding.ok("kafka", "answers, brokers " + brokers));
    Set<String> absent = new HashSet<>(names.all());
    for (TopicState topic : topics) {
      absent.remove(topic.name());
      findings.addAll(of(names, topic, brokers));
    }
    for (String name : names.all()) {
      if (absent.contains(name)) {
        findings.add(
            Finding.fault(
                "topic " + name,
                "is absent",
                "start 'palinode run orchestrator', which creates it"));
      }
    }
    return findings;
  }

  private static List<Finding> of(Topics names, TopicState topic, int brokers) {
    List<Finding> found = new ArrayList<>();
    String part = "topic " + topic.name();
    if (topic.leaderless() > 0) {
      found.add(
          Finding.fault(
              part,
              "%d of %d partitions have no leader"
                  .formatted(topic.leaderless(), topic.partitions()),
              "start the brokers that hold them"));
    } else if (topic.lagging() > 0) {
      found.add(
          Finding.fault(
              part,
              "%d of %d partitions have copies that lag"
                  .formatted(topic.lagging(), topic.partitions()),
              "see which broker is down or slow"));
    }
    if (topic.partitions() != 1 && !topic.name().equals(names.candidates())) {
      found.add(
          Finding.fault(
              part,
              "has %d partitions, and needs one order".formatted(topic.partitions()),
              "use another --prefix, and let Palinode create the topics"));
    }
    found.addAll(settings(names, topic, part));
    if (topic.replicas() < 2 && brokers > 1) {
      found.add(
          Finding.note(
              part,
              "has one copy on %d brokers".formatted(brokers),
              "add copies with Kafka's kafka-reassign-partitions"));
    }
    return found.isEmpty()
        ? List.of(
            Finding.ok(
                part, "partitions %d, copies %d".formatted(topic.partitions(), topic.replicas())))
        : found;
  }

  private static List<Finding> settings(Topics names, TopicState topic, String part) {
    Map<String, String> settings = topic.settings();
    if (settings.isEmpty()) {
      return List.of(
          Finding.note(
              part,
              "its settings may not be read",
              "give the orchestrator's principal the right DescribeConfigs"));
    }
    List<Finding> found = new ArrayList<>();
    if (topic.name().equals(names.control())) {
      found.addAll(control(part, settings));
      found.addAll(length(part, settings, TopicLayout.CONTROL_RECORD_BYTES_MAX));
    } else {
      String policy = topic.name().equals(names.predicates()) ? COMPACT : DELETE;
      if (!policy.equals(settings.get(CLEANUP))) {
        found.add(wrong(part, CLEANUP, settings, policy));
      }
    }
    if (topic.name().equals(names.violations())) {
      found.addAll(length(part, settings, TopicLayout.VIOLATION_RECORD_BYTES_MAX));
    }
    found.addAll(timestamps(part, settings));
    // Else a compressed batch with an unreadable record could end each of its readers for good.
    if (!TopicLayout.COMPRESSION.equals(settings.get(COMPRESSION))) {
      found.add(wrong(part, COMPRESSION, settings, TopicLayout.COMPRESSION));
    }
    return found;
  }

  /** A longer record of its writer would be refused. */
  private static List<Finding> length(String part, Map<String, String> settings, int bytesMax) {
    return number(settings, RECORD_BYTES, 0) >= bytesMax
        ? List.of()
        : List.of(wrong(part, RECORD_BYTES, settings, "at least", bytesMax));
  }

  /** Else a record with a time of the year 2041 could move the safe point there. */
  private static List<Finding> timestamps(String part, Map<String, String> settings) {
    long afterMaxMs = TopicLayout.TIMESTAMP_AFTER_MAX.toMillis();
    return BROKER_TIME.equals(settings.get(TIMESTAMP_TYPE))
            || number(settings, TIMESTAMP_AFTER, Long.MAX_VALUE) <= afterMaxMs
        ? List.of()
        : List.of(wrong(part, TIMESTAMP_AFTER, settings, "at most", afterMaxMs));
  }

  private static long number(Map<String, String> settings, String name, long unknown) {
    try {
      return Long.parseLong(settings.getOrDefault(name, ""));
    } catch (NumberFormatException e) {
      return unknown;
    }
  }

  /** A log of an earlier release is not compacted, and keeps all (ADR 0042). */
  private static List<Finding> control(String part, Map<String, String> settings) {
    String policy = settings.get(CLEANUP);
    if (COMPACT.equals(policy)) {
      return List.of();
    }
    if (!DELETE.equals(policy)) {
      return List.of(wrong(part, CLEANUP, settings, COMPACT));
    }
    return FOREVER.equals(settings.get(RETENTION))
        ? List.of()
        : List.of(wrong(part, RETENTION, settings, FOREVER));
  }

  private static Finding wrong(
      String part, String name, Map<String, String> settings, String wanted) {
    return wrong(part, name, settings, wanted, wanted);
  }

  private static Finding wrong(
      String part, String name, Map<String, String> settings, String relation, long limit) {
    return wrong(part, name, settings, relation + " " + limit, Long.toString(limit));
  }

  private static Finding wrong(
      String part, String name, Map<String, String> settings, String wanted, String value) {
    return Finding.fault(
        part,
        "%s is %s, must be %s".formatted(name, settings.getOrDefault(name, "unknown"), wanted),
        "kafka-configs --alter --topic %s --add-config %s=%s"
            .formatted(part.substring("topic ".length()), name, value));
  }
}

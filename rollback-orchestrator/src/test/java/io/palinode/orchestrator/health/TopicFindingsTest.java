package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.TopicState;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin.BrokerDisks;
import io.palinode.wire.TopicsAdmin.BrokerDisks.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is wrong with Kafka's topics. A real broker's topics are examined by an IT. */
class TopicFindingsTest {
  private static final Topics NAMES = Topics.DEFAULT;

  private final List<TopicState> topics = new ArrayList<>();

  TopicFindingsTest() {
    for (String name : NAMES.all()) {
      topics.add(state(name, 1, 2));
    }
  }

  @Test
  void aBrokerWhoseDiskIsNearlyFullIsAFault() {
    assertThat(disks(Answer.KNOWN, 1_500_000_000L))
        .isEqualTo(
            Finding.fault(
                "broker 1",
                "only 1.4 GiB are free on its disk; the broker ends when the disk is full",
                "free space on its disk"));
    assertThat(disks(Answer.KNOWN, 3L << 30))
        .isEqualTo(Finding.ok("broker 1", "3.0 GiB are free on its disk"));
  }

  @Test
  void noDiskIsDroppedWithoutAWord() {
    assertThat(disks(Answer.REFUSED, 0))
        .matches(finding -> finding.level() == Finding.Level.NOTE)
        .matches(finding -> finding.fix().contains("palinode kafka acls"));
    assertThat(disks(Answer.WITHOUT_SIZES, 0))
        .matches(finding -> finding.level() == Finding.Level.NOTE);
    assertThat(disks(Answer.ABSENT, 0)).matches(finding -> finding.level() == Finding.Level.FAULT);
  }

  private static Finding disks(Answer answer, long freeBytes) {
    return TopicFindings.disks(List.of(new BrokerDisks(1, answer, freeBytes))).get(0);
  }

  @Test
  void topicsAsTheyWereCreatedHaveNoFault() {
    assertThat(TopicFindings.of(NAMES, topics, 3))
        .hasSize(6)
        .allMatch(finding -> finding.level() == Finding.Level.OK);
  }

  @Test
  void eachFaultNamesTheTopicTheValueAndTheFix() {
    put(new TopicState(NAMES.candidates(), 4, 2, 1, 1, settings("delete", "1")));
    put(new TopicState(NAMES.violations(), 3, 2, 0, 1, settings("delete", "1")));
    put(new TopicState(NAMES.predicates(), 1, 1, 0, 0, settings("delete", "1")));
    put(new TopicState(NAMES.control(), 1, 2, 0, 0, settings("delete", "604800000")));
    topics.removeIf(topic -> topic.name().equals(NAMES.audit()));
    assertThat(TopicFindings.of(NAMES, topics, 3))
        .filteredOn(finding -> finding.level() != Finding.Level.OK)
        .map(finding -> finding.level() + " " + finding.part() + " " + finding.what())
        .containsExactlyInAnyOrder(
            "FAULT topic palinode.candidates.v1 1 of 4 partitions have no leader",
            "FAULT topic palinode.violations.v1 1 of 3 partitions have copies that lag",
            "FAULT topic palinode.violations.v1 has 3 partitions, and needs one order",
            "FAULT topic palinode.predicates.v1 cleanup.policy is delete, must be compact",
            "NOTE topic palinode.predicates.v1 has one copy on 3 brokers",
            "FAULT topic palinode.control.v1 retention.ms is 604800000, must be -1",
            "FAULT topic palinode.audit.v1 is absent");
    assertThat(TopicFindings.of(NAMES, topics, 3))
        .map(Finding::fix)
        .contains("kafka-configs --alter --topic palinode.control.v1 --add-config retention.ms=-1");
  }

  @Test
  void aControlLogOfAnEarlierReleaseMayStayAsItIs() {
    put(new TopicState(NAMES.control(), 1, 2, 0, 0, settings("delete", "-1")));
    assertThat(TopicFindings.of(NAMES, topics, 3))
        .allMatch(finding -> finding.level() == Finding.Level.OK);
    put(new TopicState(NAMES.control(), 1, 2, 0, 0, settings("compact,delete", "-1")));
    assertThat(TopicFindings.of(NAMES, topics, 3))
        .extracting(Finding::what)
        .contains("cleanup.policy is compact,delete, must be compact");
  }

  /** As with brokers of Kafka 3.6 to 3.9. */
  @Test
  void aTopicThatTakesAnyTimestampIsAFaultWithItsRepair() {
    String any = Long.toString(Long.MAX_VALUE);
    put(new TopicState(NAMES.violations(), 1, 2, 0, 0, settings("delete", "1", "1048588", any)));
    assertThat(faults())
        .containsExactly(
            "topic palinode.violations.v1 message.timestamp.after.max.ms is 9223372036854775807,"
                + " must be at most 3600000: kafka-configs --alter --topic palinode.violations.v1"
                + " --add-config message.timestamp.after.max.ms=3600000");
    put(new TopicState(NAMES.violations(), 1, 2, 0, 0, settings("delete", "1", "1048588", "1000")));
    assertThat(faults()).isEmpty();
  }

  @Test
  void theTimestampsOfABrokerNeedNoLimit() {
    Map<String, String> settings = new HashMap<>(settings("delete", "1"));
    settings.remove("message.timestamp.after.max.ms");
    put(new TopicState(NAMES.audit(), 1, 2, 0, 0, settings));
    assertThat(faults()).singleElement().asString().contains("after.max.ms is unknown");
    settings.put("message.timestamp.type", "LogAppendTime");
    put(new TopicState(NAMES.audit(), 1, 2, 0, 0, settings));
    assertThat(faults()).isEmpty();
  }

  @Test
  void aTopicWhoseBatchesTheBrokerDoesNotReadIsAFaultWithItsRepair() {
    Map<String, String> settings = new HashMap<>(settings("compact", "1"));
    settings.put("compression.type", "producer");
    put(new TopicState(NAMES.control(), 1, 2, 0, 0, settings));
    assertThat(faults())
        .containsExactly(
            "topic palinode.control.v1 compression.type is producer, must be uncompressed:"
                + " kafka-configs --alter --topic palinode.control.v1 --add-config"
                + " compression.type=uncompressed");
  }

  @Test
  void aTopicThatRefusesLongRecordsOfItsWriterIsAFault() {
    put(new TopicState(NAMES.violations(), 1, 2, 0, 0, settings("delete", "1", "999", "1")));
    put(new TopicState(NAMES.control(), 1, 2, 0, 0, settings("compact", "1", "1048588", "1")));
    put(new TopicState(NAMES.audit(), 1, 2, 0, 0, settings("delete", "1", "999", "1")));
    assertThat(faults())
        .containsExactlyInAnyOrder(
            "topic palinode.violations.v1 max.message.bytes is 999, must be at least 1048576:"
                + " kafka-configs --alter --topic palinode.violations.v1 --add-config"
                + " max.message.bytes=1048576",
            "topic palinode.control.v1 max.message.bytes is 1048588, must be at least 8388608:"
                + " kafka-configs --alter --topic palinode.control.v1 --add-config"
                + " max.message.bytes=8388608");
  }

  private List<String> faults() {
    return TopicFindings.of(NAMES, topics, 3).stream()
        .filter(finding -> finding.level() != Finding.Level.OK)
        .map(finding -> finding.part() + " " + finding.what() + ": " + finding.fix())
        .toList();
  }

  @Test
  void settingsThatMayNotBeReadAreNoFault() {
    put(new TopicState(NAMES.control(), 1, 1, 0, 0, Map.of()));
    assertThat(TopicFindings.of(NAMES, topics, 1))
        .filteredOn(finding -> finding.level() != Finding.Level.OK)
        .singleElement()
        .matches(finding -> finding.level() == Finding.Level.NOTE)
        .matches(finding -> finding.fix().contains("DescribeConfigs"));
  }

  private void put(TopicState state) {
    topics.removeIf(topic -> topic.name().equals(state.name()));
    topics.add(state);
  }

  private static TopicState state(String name, int partitions, int replicas) {
    boolean isCompacted = name.equals(NAMES.predicates()) || name.equals(NAMES.control());
    String policy = isCompacted ? "compact" : "delete";
    return new TopicState(name, partitions, replicas, 0, 0, settings(policy, "-1"));
  }

  private static Map<String, String> settings(String policy, String retention) {
    return settings(policy, retention, "8388608", "3600000");
  }

  private static Map<String, String> settings(
      String policy, String retention, String recordBytes, String timestampAfter) {
    return Map.of(
        "cleanup.policy",
        policy,
        "retention.ms",
        retention,
        "max.message.bytes",
        recordBytes,
        "message.timestamp.after.max.ms",
        timestampAfter,
        "message.timestamp.type",
        "CreateTime",
        "compression.type",
        "uncompressed");
  }
}

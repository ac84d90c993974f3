package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.TopicState;
import io.palinode.wire.Topics;
import java.util.ArrayList;
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
    return Map.of("cleanup.policy", policy, "retention.ms", retention);
  }
}

package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

class TopicLayoutTest {
  private static final Topics TOPICS = Topics.DEFAULT;

  @Test
  void onlyCandidatesHaveSeveralPartitions() {
    assertThat(topic(TOPICS.candidates()).numPartitions()).isEqualTo(4);
    assertThat(topic(TOPICS.predicates()).numPartitions()).isEqualTo(1);
    assertThat(topic(TOPICS.violations()).numPartitions()).isEqualTo(1);
    assertThat(topic(TOPICS.control()).numPartitions()).isEqualTo(1);
  }

  @Test
  void predicatesAndControlAreCompacted() {
    assertThat(settings(TOPICS.predicates())).containsEntry("cleanup.policy", "compact");
    assertThat(settings(TOPICS.control()))
        .containsEntry("cleanup.policy", "compact")
        .containsEntry("segment.ms", "600000")
        .containsEntry("min.compaction.lag.ms", "600000");
  }

  @Test
  void candidatesRollTheirSegmentsOftenEnoughToBeDeletedInTime() {
    long retention = Long.parseLong(settings(TOPICS.candidates()).get("retention.ms"));
    long segment = Long.parseLong(settings(TOPICS.candidates()).get("segment.ms"));
    assertThat(segment).isLessThan(retention);
  }

  @Test
  void eachTopicRefusesTimestampsInTheFuture() {
    assertThat(TopicLayout.DEFAULT.topics(TOPICS))
        .hasSize(TOPICS.all().size())
        .allSatisfy(
            topic ->
                assertThat(topic.configs())
                    .containsEntry("message.timestamp.after.max.ms", "3600000"));
  }

  @Test
  void theBrokerReadsEachRecordOfEachTopic() {
    assertThat(TopicLayout.DEFAULT.topics(TOPICS))
        .hasSize(TOPICS.all().size())
        .allSatisfy(
            topic -> assertThat(topic.configs()).containsEntry("compression.type", "uncompressed"));
  }

  @Test
  void violationsAndControlAdmitTheLongestRecordsOfTheirWriters() {
    assertThat(settings(TOPICS.violations())).containsEntry("max.message.bytes", "1048576");
    assertThat(settings(TOPICS.control())).containsEntry("max.message.bytes", "8388608");
  }

  @Test
  void badLayoutsAreRefusedWithTheRuleAndTheValue() {
    assertThatThrownBy(() -> TopicLayout.DEFAULT.withCandidatePartitions(0))
        .hasMessageContaining("[1, 1024]: candidatePartitions=0");
    assertThatThrownBy(() -> new TopicLayout(1, (short) 1, Duration.ZERO, Duration.ofDays(1)))
        .hasMessageContaining("candidateRetention=PT0S");
  }

  private static NewTopic topic(String name) {
    return TopicLayout.DEFAULT.topics(TOPICS).stream()
        .filter(t -> t.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> settings(String name) {
    return topic(name).configs();
  }
}

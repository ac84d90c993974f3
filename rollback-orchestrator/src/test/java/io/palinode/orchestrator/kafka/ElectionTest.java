package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElectionTest {
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final Duration SURELY = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  void oneIsElectedAndKeepsItUntilItLeaves() throws Exception {
    try (TestBroker broker = TestBroker.start(folder)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin topics = new TopicsAdmin(kafka, TOPICS)) {
        topics.createAbsent(TopicLayout.DEFAULT);
      }
      Election first = Election.join(kafka, TOPICS);
      assertThat(first.await(SURELY)).isTrue();
      try (Election second = Election.join(kafka, TOPICS)) {
        // Long enough to join: what it would be given it would have.
        assertThat(second.await(Duration.ofSeconds(5))).isFalse();
        assertThat(first.isOver()).isFalse();
        first.close();
        assertThat(first.isOver()).isTrue();
        assertThat(second.await(SURELY)).isTrue();
        assertThat(second.isOver()).isFalse();
      }
    }
  }
}

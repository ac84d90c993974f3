package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElectionTest {
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final Duration SURELY = Duration.ofSeconds(60);

  private static final int FORGET_MAX = 20;

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
        // Long enough to join and to receive an assignment.
        assertThat(second.await(Duration.ofSeconds(5))).isFalse();
        assertThat(first.isOver()).isFalse();
        first.close();
        assertThat(first.isOver()).isTrue();
        assertThat(second.await(SURELY)).isTrue();
        assertThat(second.isOver()).isFalse();
      }
    }
  }

  @Test
  @Tag("slow")
  void aLoneOneThatLosesKafkaIsElectedAgain() throws Exception {
    try (TestBroker broker = TestBroker.start(folder)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin topics = new TopicsAdmin(kafka, TOPICS)) {
        topics.createAbsent(TopicLayout.DEFAULT);
      }
      try (Election lone = Election.join(kafka, TOPICS)) {
        assertThat(lone.await(SURELY)).isTrue();
        broker.stop();
        // Longer than a member may be silent.
        assertNeverOver(lone, Duration.ofSeconds(10));
        broker.startAgain();
        assertNeverOver(lone, Duration.ofSeconds(10));
        try (Election second = Election.join(kafka, TOPICS)) {
          assertThat(second.await(Duration.ofSeconds(5))).as("the first one has it").isFalse();
          assertThat(lone.isOver()).isFalse();
        }
      }
    }
  }

  @Test
  void oneThatKafkaForgotIsOverOnceAnotherIsElected() throws Exception {
    try (TestBroker broker = TestBroker.start(folder)) {
      KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
      try (TopicsAdmin topics = new TopicsAdmin(kafka, TOPICS)) {
        topics.createAbsent(TopicLayout.DEFAULT);
      }
      try (Election first = Election.join(kafka, TOPICS);
          Election second = await(first, () -> Election.join(kafka, TOPICS));
          Admin admin = kafka.newAdmin("test")) {
        // Each time both join again, and either may be elected.
        for (int i = 0; i < FORGET_MAX && !first.isOver(); i++) {
          forgetAll(admin, TOPICS.prefix() + "-orchestrator");
          if (second.await(Duration.ofSeconds(5))) {
            Awaitility.await().atMost(SURELY).until(first::isOver);
          } else {
            assertThat(first.isOver()).as("one of both is active").isFalse();
          }
        }
        assertThat(first.isOver()).isTrue();
        assertThat(first.ending()).isEqualTo("another one has taken over");
        assertThat(second.isOver()).isFalse();
      }
    }
  }

  private static Election await(Election first, Supplier<Election> next)
      throws InterruptedException {
    assertThat(first.await(SURELY)).isTrue();
    return next.get();
  }

  /** As when their heartbeats have not come in time. */
  private static void forgetAll(Admin admin, String group) throws Exception {
    admin
        .removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions())
        .all()
        .get(20, TimeUnit.SECONDS);
  }

  private static void assertNeverOver(Election election, Duration time) {
    Awaitility.await().during(time).atMost(time.plusSeconds(20)).until(() -> !election.isOver());
  }
}

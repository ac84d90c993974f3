package io.palinode.orchestrator.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Alert.Kind;
import io.palinode.orchestrator.alert.AlertCounts;
import io.palinode.orchestrator.alert.AlertDispatcher;
import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.alert.AlertSettings.Posts;
import io.palinode.orchestrator.alert.TestedDestination;
import io.palinode.orchestrator.alert.WebhookRules;
import io.palinode.wire.KafkaAccess;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Alerts in a topic of a real broker. */
@Timeout(120)
class AlertTopicTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final String TOPIC = "ops.alerts";
  private static final AlertSettings SETTINGS =
      new AlertSettings(
          List.of("kafka:" + TOPIC),
          WebhookRules.PUBLIC,
          10,
          new Posts(10, Duration.ofMillis(20), Duration.ofSeconds(2)),
          null,
          null);

  @TempDir private Path folder;
  private TestBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker =
        TestBroker.start(
            folder,
            Map.of(
                "authorizer.class.name",
                "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                // All users are ANONYMOUS here. A topic with rights is for the users that have one.
                "allow.everyone.if.no.acl.found",
                "true"));
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  @Test
  void anAlertAndItsEndHaveTheKeyOfTheirEpisode() throws Exception {
    require(TOPIC);
    Alert violation =
        Alert.toOperator(
            Kind.VIOLATION, Map.of("violation", "v1"), "predicate mutex was violated", 1_000_000);
    try (AlertDispatcher dispatcher = dispatcher(SETTINGS)) {
      dispatcher.start();
      dispatcher.raise(violation);
      dispatcher.raise(violation.endedAt(2_000_000));
      dispatcher.raise(Alert.toOperator(Kind.PLAN_HALTED, Map.of("epoch", "2"), "halted", 1));
      await().atMost(BOUND).until(() -> counts(dispatcher).sent() == 3);
    }
    List<ConsumerRecord<byte[], byte[]>> records = records();
    assertThat(records)
        .extracting(record -> new String(record.key(), UTF_8))
        .startsWith("v1", "v1");
    assertThat(new String(records.get(2).key(), UTF_8)).matches("[0-9a-f]{16}");
    assertThat(records)
        .extracting(record -> JSON.readTree(record.value()).path("type").asText())
        .containsExactly(
            "io.palinode.alert.started", "io.palinode.alert.ended", "io.palinode.alert.started");
    JsonNode event = JSON.readTree(records.get(1).value());
    assertThat(event.at("/data/endsAt").asText()).isEqualTo("1970-01-01T00:00:02Z");
    assertThat(new String(records.get(0).headers().lastHeader("content-type").value(), UTF_8))
        .as("of the Kafka binding of CloudEvents")
        .startsWith("application/cloudevents+json");
  }

  @Test
  void anAlertIsSentAgainUntilTheBrokerAnswers() throws Exception {
    require(TOPIC);
    broker.stop();
    try (AlertDispatcher dispatcher = dispatcher(SETTINGS)) {
      dispatcher.start();
      dispatcher.raise(Alert.toOperator(Kind.PLAN_HALTED, Map.of(), "halted", 1));
      await().atMost(BOUND).until(() -> counts(dispatcher).retried() > 0);
      broker.startAgain();
      await().atMost(BOUND).until(() -> counts(dispatcher).sent() == 1);
      assertThat(counts(dispatcher).failed()).isZero();
    }
  }

  @Test
  void anAlertOfATopicThatIsGoneFailsAndIsCounted() throws Exception {
    AlertSettings fast =
        new AlertSettings(
            SETTINGS.operators(),
            WebhookRules.PUBLIC,
            10,
            new Posts(2, Duration.ofMillis(5), Duration.ofMillis(200)),
            null,
            null);
    try (AlertDispatcher dispatcher = dispatcher(fast)) {
      dispatcher.start();
      dispatcher.raise(Alert.toOperator(Kind.PLAN_HALTED, Map.of(), "halted", 1));
      await().atMost(BOUND).until(() -> counts(dispatcher).failed() == 1);
      assertThat(dispatcher.test(null, 1).get(0).answer())
          .isEqualTo("Topic ops.alerts not present in metadata after 100 ms.");
    }
  }

  @Test
  void aTestNamesTheRecord() throws Exception {
    require(TOPIC);
    try (AlertDispatcher dispatcher = dispatcher(SETTINGS)) {
      assertThat(dispatcher.test(null, 1))
          .containsExactly(new TestedDestination("kafka:" + TOPIC, true, "partition 0, offset 0"));
      assertThatThrownBy(() -> dispatcher.test("kafka:other", 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("--alert kafka:other");
    }
  }

  @Test
  void aUserWithoutTheRightsIsRefusedWithTheCommandThatPrintsThem() throws Exception {
    try (Admin admin = kafka().newAdmin("test")) {
      admin.createAcls(KafkaAccess.alerts("absent", "User:other")).all().get();
      require("theirs");
      admin.createAcls(KafkaAccess.alerts("theirs", "User:other")).all().get();
    }
    assertThatThrownBy(() -> require("absent"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--alert kafka:absent: the user of Kafka may not")
        .hasMessageEndingWith("see 'palinode kafka acls --alert-topic absent'");
    assertThatThrownBy(() -> require("theirs"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("may not write to this topic");
  }

  private void require(String topic) {
    try (TopicsAdmin topics = new TopicsAdmin(kafka(), Topics.DEFAULT)) {
      topics.requireForAlerts(topic);
      // An orchestrator that starts again finds it.
      topics.requireForAlerts(topic);
    }
  }

  private KafkaSettings kafka() {
    return KafkaSettings.of(broker.bootstrapServers());
  }

  private AlertDispatcher dispatcher(AlertSettings settings) {
    return new AlertDispatcher(settings, kafka(), line -> {}, () -> "", () -> 0L);
  }

  private static AlertCounts counts(AlertDispatcher dispatcher) {
    return Objects.requireNonNull(dispatcher.counts().get("kafka"));
  }

  private List<ConsumerRecord<byte[], byte[]>> records() {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer = kafka().newConsumer("test")) {
      consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
      await()
          .atMost(BOUND)
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(all::add);
                return all.size() == 3;
              });
    }
    return all;
  }
}

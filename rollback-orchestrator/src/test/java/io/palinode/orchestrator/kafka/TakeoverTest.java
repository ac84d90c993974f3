package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state that a successor or a restarted orchestrator shows; over a real broker. */
class TakeoverTest {
  private static final int NODES = 2;
  private static final int SAFE_POINTS = 5_000;
  private static final AtomicInteger PREFIXES = new AtomicInteger();
  private static final String MUTEX =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: mutex}
      spec:
        violation:
          - all:
              - {var: "cs_1", equals: "1"}
              - {var: "cs_2", equals: "1"}
        onViolation:
          rollback: {scope: all, to: before-violation}
      """;

  @TempDir static Path folder;
  private static TestBroker broker;

  private final Topics topics = new Topics("takeover" + PREFIXES.incrementAndGet());
  private FakeNodes nodes;
  private Orchestrator orchestrator;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = TestBroker.start(folder);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void start() {
    try (TopicsAdmin admin = new TopicsAdmin(KafkaSettings.of(broker.bootstrapServers()), topics)) {
      admin.createAbsent(TopicLayout.DEFAULT);
    }
    nodes = new FakeNodes(broker.bootstrapServers(), topics, NODES);
    orchestrator = startOrchestrator();
  }

  @AfterEach
  void stop() {
    orchestrator.close();
    nodes.close();
  }

  @Test
  void aCoverageGapStaysUnknownUntilAnAcknowledgementIsInTheLog() throws Exception {
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.judged(now);
    awaitSafePoint(now);
    nodes.coverageLost(now - 10);
    nodes.judged(now + 1_000);
    awaitSafePoint(now + 1_000);
    try (Orchestrator other = startOrchestrator()) {
      assertThat(other.status().losses()).as("while another one acts").isEqualTo(1);
    }
    forgetViolations();
    restart();
    assertThat(orchestrator.status().losses()).as("without the violations log").isEqualTo(1);
    assertThat(orchestrator.unjudged())
        .singleElement()
        .matches(span -> span.fromHlc() == Hlc.ofMicros(now - 10));
    orchestrator.operator().acknowledge(Event.CoverageAcknowledged.ALL, "");
    assertThat(orchestrator.status().losses()).isZero();
    restart();
    assertThat(orchestrator.status().losses()).as("acknowledged").isZero();
  }

  /** A node that is slow, or down, when the plan resumes; also for the next orchestrator. */
  @Test
  void aRollbackIsResumedWhenEveryNodeServes() {
    nodes.announceServing();
    orchestrator.apply(MUTEX, "test");
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.violation("v1", "mutex", now, 0);
    nodes.judged(now + 1_000);
    await().until(() -> orchestrator.status().epoch() == 1);
    assertThat(state()).isEqualTo(Rollback.State.RESUMING);
    nodes.serves(1, 1);
    await().until(() -> orchestrator.status().serving().missing().equals(List.of(0)));
    assertThat(state()).isEqualTo(Rollback.State.RESUMING);
    restart();
    assertThat(state()).isEqualTo(Rollback.State.RESUMING);
    nodes.serves(1, 0);
    await().until(() -> state() == Rollback.State.RESUMED);
  }

  /** By the records of the control log, which also the next orchestrator reads. */
  @Test
  void theUserOfARollbackStaysKnown() throws Exception {
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.judged(now);
    awaitSafePoint(now);
    orchestrator.operator().run(RollbackRequest.to("mine", Hlc.ofMicros(now - 10)), "alice");
    await().until(() -> orchestrator.status().epoch() == 1);
    restart();
    try (Orchestrator other = startOrchestrator()) {
      for (Orchestrator each : List.of(orchestrator, other)) {
        assertThat(Objects.requireNonNull(each.rollback(1)).acts())
            .extracting(Rollback.Act::action, Rollback.Act::user)
            .containsExactly(tuple("run", "alice"));
      }
    }
  }

  @Test
  void theLinesOfTheAuditLogAreInTheirTopic() {
    orchestrator.audit("{\"user\":\"alice\"}");
    orchestrator.audit("{\"user\":\"bob\"}");
    try (Consumer<byte[], byte[]> reader =
        KafkaSettings.of(broker.bootstrapServers()).newConsumer("audit-reader")) {
      TopicPartition all = new TopicPartition(topics.audit(), 0);
      reader.assign(List.of(all));
      reader.seekToBeginning(List.of(all));
      List<String> lines = new ArrayList<>();
      await()
          .untilAsserted(
              () -> {
                reader
                    .poll(Duration.ofMillis(100))
                    .forEach(line -> lines.add(new String(line.value(), StandardCharsets.UTF_8)));
                assertThat(lines).containsExactly("{\"user\":\"alice\"}", "{\"user\":\"bob\"}");
              });
    }
  }

  /** Many safe points, then compaction: a successor reads few records and knows the same. */
  @Test
  void aCompactedLogHoldsWhatASuccessorNeeds() throws Exception {
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.judged(now);
    awaitSafePoint(now);
    orchestrator.operator().run(RollbackRequest.to("mine", Hlc.ofMicros(now - 10)), "alice");
    await().until(() -> orchestrator.status().epoch() == 1);
    compactAtOnce();
    orchestrator.close();
    SafePointWriter writer =
        new SafePointWriter(KafkaSettings.of(broker.bootstrapServers()), topics);
    try (writer) {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> writer.write(Hlc.ofMicros(now), SAFE_POINTS) < SAFE_POINTS / 5);
    }
    orchestrator = startOrchestrator();
    assertThat(orchestrator.status().safePoint()).isEqualTo(writer.last());
    assertThat(orchestrator.status().epoch()).isEqualTo(1);
    assertThat(orchestrator.rollback(1)).isNotNull();
    assertThat(state()).isEqualTo(Rollback.State.RESUMED);
  }

  /** As hours of safe points do. */
  private void compactAtOnce() throws Exception {
    ConfigResource control = new ConfigResource(ConfigResource.Type.TOPIC, topics.control());
    Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (Admin admin = Admin.create(client)) {
      List<AlterConfigOp> settings =
          Stream.of("segment.ms=100", "min.compaction.lag.ms=0", "min.cleanable.dirty.ratio=0.01")
              .map(setting -> setting.split("=", -1))
              .map(
                  setting ->
                      new AlterConfigOp(
                          new ConfigEntry(setting[0], setting[1]), AlterConfigOp.OpType.SET))
              .toList();
      admin.incrementalAlterConfigs(Map.of(control, settings)).all().get(10, TimeUnit.SECONDS);
    }
  }

  private Rollback.@Nullable State state() {
    Rollback rollback = orchestrator.rollback(1);
    return rollback == null ? null : rollback.state();
  }

  private void awaitSafePoint(long micros) {
    await().until(() -> orchestrator.status().safePoint() == Hlc.ofMicros(micros));
  }

  private void restart() {
    orchestrator.close();
    orchestrator = startOrchestrator();
  }

  /** As the topic's retention does. */
  private void forgetViolations() throws Exception {
    TopicPartition all = new TopicPartition(topics.violations(), 0);
    Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (Admin admin = Admin.create(client)) {
      admin
          .deleteRecords(Map.of(all, RecordsToDelete.beforeOffset(-1)))
          .all()
          .get(10, TimeUnit.SECONDS);
    }
  }

  private Orchestrator startOrchestrator() {
    OrchestratorConfig config = OrchestratorConfig.of(broker.bootstrapServers(), topics, NODES);
    return Orchestrator.start(config, new SimpleMeterRegistry(), line -> {});
  }
}

package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Witness;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that a log does not take, and a broker that is away: a real one, over HTTP. */
class UnwritableTest {
  private static final AtomicInteger PREFIXES = new AtomicInteger();
  private static final Duration BOUND = Duration.ofSeconds(40);
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
          rollback: %s
      """;
  private static final String ROLLED_BACK = MUTEX.formatted("{}");

  @TempDir static Path folder;
  private static TestBroker broker;

  private final Topics topics = new Topics("u" + PREFIXES.incrementAndGet());
  private final List<String> console = new CopyOnWriteArrayList<>();
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
    KafkaSettings kafka = KafkaSettings.of(broker.bootstrapServers());
    try (TopicsAdmin admin = new TopicsAdmin(kafka, topics)) {
      admin.createAbsent(TopicLayout.DEFAULT);
    }
    nodes = new FakeNodes(broker.bootstrapServers(), topics, 2);
    orchestrator =
        Orchestrator.start(
            OrchestratorConfig.of(broker.bootstrapServers(), topics, 2),
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            console::add);
  }

  @AfterEach
  void stop() {
    orchestrator.close();
    nodes.close();
  }

  @Test
  void aRequestWithANameOfMegabytesIsRefusedAndJudgementContinues() throws Exception {
    String body = "{\"to\": \"-1s\", \"request\": \"%s\"}".formatted("r".repeat(3_900_000));
    HttpResponse<String> answer = send("POST", "/api/v1/rollbacks", body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("at most 64 characters: it has 3900000");
    assertSafePointMoves();
    assertThat(console).isEmpty();
    assertThat(orchestrator.status().trouble()).isNull();
  }

  @Test
  void aWishThatTheLogCannotHoldIsAnsweredAndForgotten() throws Exception {
    orchestrator.apply(MUTEX.formatted("none"), "test");
    String id = "v".repeat(64);
    nodes.violation(id, "mutex", now(), 0);
    await().until(() -> orchestrator.violation(id) != null);
    limitControlRecords(200);
    HttpResponse<String> answer =
        send("POST", "/api/v1/rollbacks", "{\"violation\": \"%s\"}".formatted(id));
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("cannot be written to the control log: RecordTooLarge");
    assertThat(orchestrator.status().trouble()).isNull();
    assertSafePointMoves();
    assertThat(steps()).isEmpty();
  }

  @Test
  void aStepThatTheLogCannotHoldHaltsThePlanWithTheReason() throws Exception {
    orchestrator.apply(ROLLED_BACK, "test");
    limitControlRecords(2_000);
    long now = now();
    VariableVersion value =
        VariableVersion.newBuilder().setKey(ByteString.copyFromUtf8("k".repeat(5_000))).build();
    nodes.violation(
        FakeNodes.of("v1", "mutex", now, 0)
            .addWitnesses(Witness.newBuilder().addValues(value))
            .build());
    nodes.judged(now + 1_000);
    await().atMost(BOUND).until(() -> orchestrator.status().phase() == Phase.HALTED);
    assertThat(orchestrator.status().haltReason())
        .contains("a step cannot be written to the control log: RecordTooLargeException");
    await().until(() -> orchestrator.status().trouble() == null);

    limitControlRecords(TopicLayout.CONTROL_RECORD_BYTES_MAX);
    orchestrator.operator().intervene(1, Intervention.RETRY, "");
    await().atMost(BOUND).until(() -> orchestrator.status().epoch() == 1);
    // The nodes read the log by themselves, so they may be behind the orchestrator.
    await()
        .atMost(BOUND)
        .untilAsserted(
            () ->
                assertThat(steps())
                    .containsExactly(
                        "PLAN_OPENED",
                        "PAUSE",
                        "HALTED",
                        "RETRY",
                        "RESTORE",
                        "CONVERGE",
                        "RESUME"));
  }

  @Test
  void aRefusedRecordIsReportedAndWrittenLater() throws Exception {
    orchestrator.apply(ROLLED_BACK, "test");
    limitControlRecords(60);
    long now = now();
    nodes.violation("v1", "mutex", now, 0);
    await()
        .atMost(BOUND)
        .untilAsserted(
            () -> {
              HttpResponse<String> health = send("GET", "/healthz", "");
              assertThat(health.statusCode()).isEqualTo(503);
              assertThat(health.body())
                  .contains("has not taken PLAN_OPENED of epoch 1")
                  .contains("3 tries")
                  .contains("RecordTooLarge");
            });
    assertThat(send("GET", "/api/v1/status", "").body()).contains("\"trouble\":\"the control log");
    assertThat(send("GET", "/metrics", "").body()).contains("palinode_orchestrator_troubled 1");
    assertThat(console.stream().filter(line -> line.startsWith("alert=control_write_failed")))
        .as("one alert a minute")
        .hasSize(1);

    limitControlRecords(TopicLayout.CONTROL_RECORD_BYTES_MAX);
    await().atMost(BOUND).until(() -> steps().contains("PAUSE"));
    await().until(() -> orchestrator.status().trouble() == null);
  }

  @Test
  void aPredicateThatNoRecordHoldsIsRefusedAndNothingIsWritten() throws Exception {
    String large = withClauses(ROLLED_BACK.replace("mutex", "large"), "twelve_chars");
    long before = end(topics.predicates());
    HttpResponse<String> answer = send("PUT", "/api/v1/predicates", ROLLED_BACK + "---\n" + large);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("must take at most 1047552 bytes");
    assertThat(end(topics.predicates())).as("nor the small one before it").isEqualTo(before);
    assertThat(orchestrator.predicates()).isEmpty();
  }

  @Test
  void tenThousandClausesAreAcknowledged() throws Exception {
    HttpResponse<String> answer =
        send("PUT", "/api/v1/predicates/mutex", withClauses(ROLLED_BACK, "k"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(orchestrator.predicate("mutex")).isNotNull();
  }

  /** Of 10,000 clauses, which is the limit. */
  private static String withClauses(String predicate, String key) {
    StringBuilder clauses = new StringBuilder();
    for (int i = 1; i < 10_000; i++) {
      clauses.append(
          "    - all: [{var: \"a_%s_%d\", equals: \"1\"}, {var: \"b_%s_%d\", equals: \"1\"}]\n"
              .formatted(key, i, key, i));
    }
    return predicate.replace("  onViolation", clauses + "  onViolation");
  }

  @Test
  void withoutKafkaItWaitsReportsThatAndContinues() throws Exception {
    orchestrator.apply(ROLLED_BACK, "test");
    broker.stop();
    try {
      await()
          .atMost(BOUND)
          .untilAsserted(
              () -> {
                HttpResponse<String> health = send("GET", "/healthz", "");
                assertThat(health.statusCode()).isEqualTo(503);
                assertThat(health.body()).contains("has not answered").contains("continues when");
              });
      assertThat(send("GET", "/api/v1/status", "").body()).contains("\"failure\":null");
      HttpResponse<String> applied =
          send("PUT", "/api/v1/predicates", ROLLED_BACK.replace("mutex", "other"));
      assertThat(applied.statusCode()).isEqualTo(503);
      assertThat(applied.body())
          .contains("it is not known whether predicate 'other' version 1 is in force")
          .contains("palinode get predicates");
      HttpResponse<String> wished = send("POST", "/api/v1/rollbacks", "{\"to\": \"-1s\"}");
      assertThat(wished.statusCode()).isEqualTo(503);
      assertThat(wished.body()).contains("nothing has changed; ask again");
    } finally {
      broker.startAgain();
    }
    await().atMost(BOUND).until(() -> orchestrator.status().trouble() == null);
    assertThat(orchestrator.predicate("other")).as("it took no effect later").isNull();
    long now = now();
    nodes.violation("v1", "mutex", now, 0);
    nodes.judged(now + 1_000);
    await().atMost(BOUND).until(() -> orchestrator.status().epoch() == 1);
  }

  private void assertSafePointMoves() {
    long judged = now();
    nodes.judged(judged);
    await().atMost(BOUND).until(() -> orchestrator.status().safePoint() == Hlc.ofMicros(judged));
  }

  /** The largest record that the broker accepts, with the producer's overhead. */
  private void limitControlRecords(int bytes) throws Exception {
    AlterConfigOp limit =
        new AlterConfigOp(
            new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(bytes)),
            AlterConfigOp.OpType.SET);
    ConfigResource control = new ConfigResource(ConfigResource.Type.TOPIC, topics.control());
    try (Admin admin = KafkaSettings.of(broker.bootstrapServers()).newAdmin("test")) {
      admin
          .incrementalAlterConfigs(Map.of(control, List.of(limit)))
          .all()
          .get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }
    await().until(() -> broker.largestRecord(topics.control()) == bytes);
  }

  private static long end(String topic) throws Exception {
    TopicPartition log = new TopicPartition(topic, 0);
    try (Admin admin = KafkaSettings.of(broker.bootstrapServers()).newAdmin("test")) {
      return admin
          .listOffsets(Map.of(log, OffsetSpec.latest()))
          .partitionResult(log)
          .get(BOUND.toSeconds(), TimeUnit.SECONDS)
          .offset();
    }
  }

  /** The orchestrator's steps of plans, in the log's order. */
  private List<String> steps() {
    return nodes.control().stream()
        .filter(record -> record.getEpoch() > 0)
        .map(ControlRecord::getStepCase)
        .map(Enum::name)
        .filter(
            List.of("PLAN_OPENED", "PAUSE", "RESTORE", "CONVERGE", "RESUME", "HALTED", "RETRY")
                ::contains)
        .toList();
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(orchestrator.url() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static long now() {
    return SystemMicros.CLOCK.getAsLong();
  }
}

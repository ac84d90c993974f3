package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.alert.WebhookRules;
import io.palinode.orchestrator.history.Change;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.rest.ListenException;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.ControlRecord;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The orchestrator against a real broker, with nodes and a monitor that are only records. */
class OrchestratorTest {
  private static final int NODES = 2;
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
          rollbackOn: possible
          alertOn: possible
          alert: [console]
      """;

  @TempDir static Path folder;
  private static TestBroker broker;

  private final Topics topics = new Topics("t" + PREFIXES.incrementAndGet());
  private final List<String> console = new CopyOnWriteArrayList<>();
  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
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
  void aViolationIsRolledBackAndRemembered() {
    orchestrator.apply(MUTEX, "test");
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.violation("v1", "mutex", now, 0);
    nodes.violation("v1", "mutex", now, 0);
    nodes.judged(now + 1_000);
    awaitEpoch(1);

    assertThat(steps(1)).containsExactly("PLAN_OPENED", "PAUSE", "RESTORE", "CONVERGE", "RESUME");
    await()
        .untilAsserted(
            () ->
                assertThat(orchestrator.status().safePoint()).isEqualTo(Hlc.ofMicros(now + 1_000)));
    Rollback rollback = orchestrator.rollbacks(10).get(0);
    assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
    assertThat(rollback.target()).isEqualTo(Hlc.ofMicros(now) - 1);
    assertThat(rollback.violationIds()).containsExactly("v1");
    assertThat(rollback.undoneWrites()).isEqualTo(6);
    assertThat(rollback.convergedKeys()).isEqualTo(4);
    assertThat(rollback.totalMicros()).isPositive();
    assertThat(orchestrator.violations(10)).hasSize(1);
    assertThat(orchestrator.latency().snapshot(Grade.POSSIBLE).count()).isEqualTo(1);
    assertThat(orchestrator.latency().snapshot(Grade.POSSIBLE).maxMs()).isPositive();
    assertThat(orchestrator.nodes()).hasSize(NODES);
    await().until(() -> !console.isEmpty());
    assertThat(console.get(0)).startsWith("alert=violation").contains("predicate=mutex");
    assertChangesAreKept();
  }

  private void assertChangesAreKept() {
    List<Change> changes = Objects.requireNonNull(orchestrator.history().changes().after(0, 100));
    assertThat(changes)
        .filteredOn(Change.OfRollback.class::isInstance)
        .extracting(change -> ((Change.OfRollback) change).now().state())
        .startsWith(Rollback.State.OPENED, Rollback.State.PAUSING, Rollback.State.RESTORING)
        .endsWith(Rollback.State.RESUMED)
        .doesNotHaveDuplicates();
    assertThat(changes)
        .filteredOn(Change.OfViolation.class::isInstance)
        .extracting(change -> ((Change.OfViolation) change).now().outcome())
        // It waits if the log of violations is read before the log of predicates.
        .filteredOn(outcome -> outcome != Command.Outcome.WAITING)
        .startsWith(null, Command.Outcome.ROLLBACK);
  }

  @Test
  void aSuccessorContinuesAPlanThatWasOpen() {
    orchestrator.apply(MUTEX, "test");
    nodes.obey(false);
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.violation("v1", "mutex", now, 0);
    nodes.judged(now + 1_000);
    await().until(() -> steps(1).contains("PAUSE"));
    orchestrator.close();
    orchestrator = startOrchestrator();
    assertThat(orchestrator.status().phase()).isNotNull();
    nodes.obey(true);
    awaitEpoch(1);
    assertThat(steps(1)).containsExactly("PLAN_OPENED", "PAUSE", "RESTORE", "CONVERGE", "RESUME");

    orchestrator.close();
    orchestrator = startOrchestrator();
    assertThat(orchestrator.status().epoch()).isEqualTo(1);
    assertThat(orchestrator.rollbacks(10)).hasSize(1);
    assertThat(orchestrator.violations(10)).singleElement().matches(v -> v.replayed());
    assertThat(orchestrator.latency().snapshot(Grade.POSSIBLE).count()).isZero();
    assertThat(orchestrator.predicates()).hasSize(1);
    nodes.violation("late", "mutex", now + 1, 0);
    await().until(() -> orchestrator.violations(10).size() == 2);
    assertThat(orchestrator.status().phase()).isNull();
  }

  @Test
  void predicatesHaveVersionsThatOnlyGrow() {
    assertThat(orchestrator.apply(MUTEX, "test").get(0).version()).isEqualTo(1);
    assertThat(orchestrator.apply(MUTEX, "test").get(0).version())
        .as("the version in force stays")
        .isEqualTo(1);
    assertThat(orchestrator.delete("mutex")).isTrue();
    assertThat(orchestrator.delete("mutex")).isFalse();
    assertThat(orchestrator.predicates()).isEmpty();
    assertThat(orchestrator.predicate("mutex")).isNull();
    AppliedPredicate again = orchestrator.apply(MUTEX, "test").get(0);
    assertThat(again.version()).isEqualTo(3);
    assertThat(orchestrator.predicate("mutex")).isEqualTo(again);
  }

  /** Like the moment after a takeover in which a frozen orchestrator continues. */
  @Test
  void twoOrchestratorsThatApplyAtOnceReturnOnlyVersionsInForce() throws Exception {
    ConcurrentMap<Long, String> acknowledged = new ConcurrentHashMap<>();
    try (Orchestrator other = startOrchestrator()) {
      for (int round = 0; round < 200; round++) {
        String mine =
            MUTEX.replace("name: mutex", "name: mutex, labels: {by: a%d}".formatted(round));
        String others = mine.replace("by: a", "by: b");
        CompletableFuture<Void> first =
            CompletableFuture.runAsync(() -> apply(orchestrator, mine, acknowledged));
        apply(other, others, acknowledged);
        first.join();
      }
      await()
          .untilAsserted(
              () ->
                  assertThat(other.predicate("mutex")).isEqualTo(orchestrator.predicate("mutex")));
    }
    AppliedPredicate last = Objects.requireNonNull(orchestrator.predicate("mutex"));
    assertThat(acknowledged).containsEntry(last.version(), last.yaml());
  }

  private static void apply(
      Orchestrator orchestrator, String yaml, ConcurrentMap<Long, String> acknowledged) {
    AppliedPredicate applied;
    try {
      applied = orchestrator.apply(yaml, "test").get(0);
    } catch (UnavailableException refused) {
      assertThat(refused).hasMessageContaining("at the same time");
      return;
    }
    String before = acknowledged.putIfAbsent(applied.version(), applied.yaml());
    assertThat(before).as("version " + applied.version()).isIn(null, applied.yaml());
  }

  @Test
  void theApiShowsTheOrchestratorsState() throws Exception {
    assertThat(put("/api/v1/predicates/mutex", MUTEX).statusCode()).isEqualTo(200);
    nodes.coverageLost(1);
    await().until(() -> orchestrator.status().losses() == 1);
    assertThat(get("/api/v1/status").body()).contains("\"coverageLosses\":1");
    assertThat(get("/metrics").body()).contains("\npalinode_coverage_gaps 1");
    assertThat(send("POST", "/api/v1/coverage/acknowledge", "").statusCode()).isEqualTo(200);
    assertThat(orchestrator.status().losses()).isZero();
    assertThat(get("/metrics").body()).contains("\npalinode_coverage_gaps 0");
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(get("/api/v1/snapshots").body()).isEqualTo("[]");
    assertThat(get("/api/v1/snapshot-schedule").statusCode()).isEqualTo(200);
    await().until(() -> console.stream().anyMatch(line -> line.startsWith("alert=coverage_lost")));
  }

  @Test
  void aDifferentEpsilonIsShownAndAlertedWithinSeconds() throws Exception {
    nodes.epsilons(SystemMicros.CLOCK.getAsLong(), "10ms", 50_000);
    String found = "10ms at the detection job; 50ms at node 1";
    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> console.stream().anyMatch(line -> line.contains(found)));
    assertThat(get("/api/v1/status").body()).contains("\"reason\":\"epsilon\"").contains(found);
    assertThat(get("/healthz").statusCode()).isEqualTo(503);
    assertThat(get("/healthz").body()).contains(found);
    assertThat(get("/metrics").body())
        .contains("palinode_judgement_waiting_seconds{for=\"epsilon\",node=\"\"}");

    nodes.epsilons(SystemMicros.CLOCK.getAsLong(), "10ms", 10_000);
    await().until(() -> !get("/api/v1/status").body().contains("\"reason\":\"epsilon\""));
  }

  @Test
  void operatorsWebhooksReceiveAlertsAndOneThatIsDownIsCounted() throws Exception {
    List<String> posts = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/hook",
        exchange -> {
          posts.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(posts.size() == 1 ? 503 : 200, -1);
          exchange.close();
        });
    server.start();
    orchestrator.close();
    String hook = "webhook:http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
    AlertSettings alerts =
        AlertSettings.DEFAULT.withOperators(List.of(hook, "webhook:http://127.0.0.1:1/"));
    orchestrator = Orchestrator.start(config().withAlerts(alerts), meters, console::add);
    try {
      nodes.coverageLost(1);
      await().until(() -> posts.size() == 2);
      assertThat(posts.get(1)).contains("\"alertname\":\"PalinodeCoverageLost\"");
      assertThat(console).isEmpty();
      await()
          .untilAsserted(
              () ->
                  assertThat(get("/metrics").body())
                      .contains("palinode_alerts_sent_total{destination=\"webhook\"} 1")
                      .contains("palinode_alerts_failed_total{destination=\"webhook\"} 1"));
      assertThat(send("POST", "/api/v1/alerts/test", "").body())
          .contains("\"delivered\":true,\"answer\":\"HTTP status 200\"")
          .contains("\"delivered\":false,\"answer\":\"no answer: ConnectException\"");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aViolationIsOneAlertFromItsStartToItsEndAlsoOverATakeover() throws Exception {
    List<String> posts = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/api/v2/alerts",
        exchange -> {
          posts.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    String to = "alertmanager:http://127.0.0.1:" + server.getAddress().getPort();
    AlertSettings alerts =
        AlertSettings.DEFAULT.withWebhooks(new WebhookRules(List.of("127.0.0.1")));
    orchestrator.close();
    try {
      orchestrator = Orchestrator.start(config().withAlerts(alerts), meters, console::add);
      String predicate =
          MUTEX
              .replace("{scope: all, to: before-violation}", "none")
              .replace("[console]", "[console, \"" + to + "\"]");
      orchestrator.apply(predicate, "test");
      long now = SystemMicros.CLOCK.getAsLong();
      nodes.violation("v1", "mutex", now, 0);
      await().until(() -> posts.size() == 1 && console.size() == 1);
      assertThat(posts.get(0)).contains("\"violation\":\"v1\"").contains("\"outcome\"");

      nodes.judged(now + 1_000);
      await().until(() -> orchestrator.status().safePoint() > Hlc.ofMicros(now));
      orchestrator.close();
      orchestrator = Orchestrator.start(config().withAlerts(alerts), meters, console::add);
      await().until(() -> posts.size() == 2);
      assertThat(labelsAndStart(posts.get(1))).isEqualTo(labelsAndStart(posts.get(0)));
      assertThat(console).as("a console does not forget").hasSize(1);

      nodes.ended("v1", now + 5_000);
      await().until(() -> console.size() == 2);
      assertThat(console.get(1))
          .startsWith("ended=violation at=")
          .contains(" predicate=mutex violation=v1 ");
    } finally {
      server.stop(0);
    }
  }

  /** An alert of a gap is open until it is acknowledged, also for a successor. */
  @Test
  void theEndOfACoverageGapIsAlertedAfterATakeover() throws Exception {
    nodes.coverageLost(1);
    await().until(() -> console.stream().anyMatch(line -> line.startsWith("alert=coverage_lost")));
    await().until(() -> orchestrator.status().losses() == 1);
    orchestrator.close();
    orchestrator = startOrchestrator();
    assertThat(send("POST", "/api/v1/coverage/acknowledge", "").statusCode()).isEqualTo(200);
    await().until(() -> console.stream().anyMatch(line -> line.startsWith("ended=coverage_lost")));
  }

  private static String labelsAndStart(String post) throws IOException {
    JsonNode alert = new ObjectMapper().readTree(post).get(0);
    return alert.get("labels") + " " + alert.get("startsAt");
  }

  @Test
  void aPhantomIsShownWithItsViolationAndCountedOnce() throws Exception {
    orchestrator.apply(MUTEX, "test");
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.violation("v1", "mutex", now, 0);
    nodes.phantom("v1", "mutex");
    nodes.phantom("v1", "mutex");
    nodes.phantom("never published", "mutex");
    await().until(() -> orchestrator.status().phantoms() == 2);
    assertThat(get("/api/v1/violations/v1").body()).contains("\"phantom\":true");
    assertThat(get("/metrics").body()).contains("palinode_phantoms_total{predicate=\"mutex\"} 2");
  }

  @Test
  void theMetersEqualThoseOfTheDashboards() throws Exception {
    orchestrator.apply(MUTEX, "test");
    long now = SystemMicros.CLOCK.getAsLong();
    nodes.violation("v1", "mutex", now, 0);
    nodes.phantom("v1", "mutex");
    nodes.judged(now + 1_000);
    awaitEpoch(1);
    await().until(() -> get("/metrics").body().contains("palinode_rollback_step_seconds_bucket"));
    assertThat(exposed(get("/metrics").body())).isEqualTo(listed());
  }

  @Test
  void aSecondApiOnTheSamePortIsRefusedWithTheReason() {
    int port = URI.create(orchestrator.url()).getPort();
    OrchestratorConfig config = config().withHttpPort(port);
    assertThatThrownBy(() -> Orchestrator.start(config, meters, console::add))
        .isInstanceOf(ListenException.class)
        .hasMessageContaining("127.0.0.1:" + port);
  }

  @Test
  void withoutItsTopicsItDoesNotStart() {
    OrchestratorConfig config =
        new OrchestratorConfig(
            KafkaSettings.of(broker.bootstrapServers()),
            new Topics("absent"),
            RollbackSettings.of(1),
            "halt",
            config().alerts(),
            config().rest(),
            config().predicates(),
            Duration.ofSeconds(1));
    assertThatThrownBy(() -> Orchestrator.start(config, meters, console::add))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("could not be replayed");
  }

  @Test
  void aFallbackThatIsNotSupportedIsRefused() {
    assertThatThrownBy(() -> config().withFallback("restart"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fallback='restart'");
  }

  private OrchestratorConfig config() {
    return OrchestratorConfig.of(broker.bootstrapServers(), topics, NODES);
  }

  private Orchestrator startOrchestrator() {
    return Orchestrator.start(config(), meters, console::add);
  }

  private void awaitEpoch(long epoch) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> orchestrator.status().epoch() == epoch && !steps(epoch).isEmpty());
    await().until(() -> steps(epoch).contains("RESUME"));
  }

  private List<String> steps(long epoch) {
    return nodes.control().stream()
        .filter(r -> r.getEpoch() == epoch)
        .map(ControlRecord::getStepCase)
        .map(Enum::name)
        .filter(s -> List.of("PLAN_OPENED", "PAUSE", "RESTORE", "CONVERGE", "RESUME").contains(s))
        .toList();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path, "");
  }

  private HttpResponse<String> put(String path, String body)
      throws IOException, InterruptedException {
    return send("PUT", path, body);
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(orchestrator.url() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** {@code name type} of each metric family in a scrape. */
  private static Set<String> exposed(String scrape) {
    return Stream.of(scrape.split("\n", -1))
        .filter(line -> line.startsWith("# TYPE "))
        .map(line -> line.substring("# TYPE ".length()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> listed() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            OrchestratorTest.class.getResourceAsStream("/palinode/dashboards/metrics.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("orchestrator "))
          .map(line -> line.substring("orchestrator ".length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}

package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.PartsWatch;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.WatchedNode;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.orchestrator.kafka.OrchestratorConfig;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.wire.Build;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is reported of judgement that waits, with the real parts in this process. */
@Timeout(240)
@SuppressWarnings("try") // Parts end in the middle of a test.
class JudgementIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int NODES = 2;
  private static final Epsilon EPSILON = Epsilon.parse("10ms");
  private static final List<StoreDefinition> STORES =
      List.of(StoreDefinition.of("default", Persistence.MEMORY, NODES, 1, 1));

  @TempDir Path folder;
  private final List<String> console = new CopyOnWriteArrayList<>();

  @Test
  void aClusterWhoseDetectionNeverRanReadsAsNotJudged() throws Exception {
    try (EmbeddedKafka kafka =
        EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT)) {
      try (TopicsAdmin topics =
          new TopicsAdmin(KafkaSettings.of(kafka.bootstrapServers()), Topics.DEFAULT)) {
        topics.createAbsent(TopicLayout.DEFAULT);
      }
      try (Orchestrator orchestrator =
          Orchestrator.start(
              OrchestratorConfig.of(kafka.bootstrapServers(), Topics.DEFAULT, NODES),
              new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
              console::add)) {
        await().atMost(BOUND).until(() -> status(orchestrator.url()).exit() == 1);
        Printed printed = status(orchestrator.url());
        assertThat(printed.text())
            .contains(
                "safe point  none: not judged yet: the detection job has not published since ")
            .contains("coverage    not judged yet")
            .contains("waits for   the detection job has never published, for ")
            .doesNotContain("0 ms behind");
        Printed examined = palinode("doctor", orchestrator.url());
        assertThat(examined.exit()).isEqualTo(1);
        assertThat(examined.text())
            .contains("OK     kafka: answers, brokers 1")
            .contains("OK     topic palinode.control.v1: partitions 1, copies 1")
            .contains("FAULT  job: the detection job has never published, for ")
            .contains("FAULT  node 1: has never joined; start it with 'palinode run node'");
        assertThat(send(orchestrator.url() + "/healthz").statusCode()).isEqualTo(503);
        assertThat(send(orchestrator.url() + "/metrics").body())
            .containsPattern("palinode_judgement_waiting_seconds\\{for=\"job\",node=\"\"} [1-9]");
        kafka.close();
        await()
            .atMost(BOUND)
            .untilAsserted(
                () ->
                    assertThat(orchestrator.judgement().standing())
                        .extracting(Wait::reason)
                        .containsExactly(Wait.Reason.KAFKA));
        assertThat(status(orchestrator.url()).text()).contains("waits for   Kafka does not answer");
        assertThat(palinode("doctor", orchestrator.url()).text())
            .containsPattern("FAULT +kafka: .*Kafka");
      }
    }
  }

  @Test
  void aNodeThatIsDownOrHasAnotherEpsilonIsNamedUntilItIsBack() throws Exception {
    Cluster layout = StoreCluster.layout(Ports.free(NODES));
    try (ControlPlane plane =
            ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, console::add);
        WatchedNode first = node(0, layout, plane)) {
      WatchedNode second = node(1, layout, plane);
      awaitSafePointOfNow(plane);
      await()
          .atMost(BOUND)
          .untilAsserted(
              () ->
                  assertThat(status(plane.apiUrl()).text())
                      .contains("coverage    complete")
                      .doesNotContain("waits for"));
      await()
          .atMost(BOUND)
          .untilAsserted(
              () -> {
                Printed healthy = palinode("doctor", plane.apiUrl());
                assertThat(healthy.text())
                    .contains("OK     node 1: joined, incarnation 1")
                    .containsPattern("OK     node 1: its disk accepts writes, [0-9.]+ GiB are free")
                    .containsPattern("OK     broker [0-9]+: [0-9.]+ GiB are free on its disk")
                    .containsPattern(
                        "OK     (node 1: its clock|clocks: node 0) is .* epsilon is 10.0 ms")
                    .contains("OK     versions: all parts run " + Build.VERSION)
                    .endsWith("no faults\n");
                assertThat(healthy.exit()).isZero();
              });
      second.close();
      await()
          .atMost(BOUND)
          .untilAsserted(
              () -> {
                Printed printed = status(plane.apiUrl());
                assertThat(printed.text()).contains("waits for   node 1 publishes nothing, for ");
                assertThat(printed.exit()).isEqualTo(1);
                Printed examined = palinode("doctor", plane.apiUrl());
                assertThat(examined.text()).contains("FAULT  node 1: publishes nothing");
                assertThat(examined.exit()).isEqualTo(1);
              });
      assertPartsOfAnotherEpsilonAreRefused(layout, plane);
      try (WatchedNode other = node(1, layout, plane, Epsilon.parse("50ms"))) {
        awaitEpsilonsDiffer(plane);
        assertThat(other.isRunning()).isTrue();
      }
      try (WatchedNode again = node(1, layout, plane)) {
        awaitSafePointOfNow(plane);
        await()
            .atMost(BOUND)
            .untilAsserted(
                () -> {
                  Printed printed = status(plane.apiUrl());
                  assertThat(printed.text()).doesNotContain("publishes nothing");
                  assertThat(printed.exit()).isZero();
                });
        assertThat(again.isRunning()).isTrue();
      }
      assertThat(first.isRunning()).isTrue();
    }
  }

  @Test
  @Tag("slow")
  void aJobThatIsCancelledAndANodeWhoseProducerEndsAreReportedAndStartedAgain() throws Exception {
    try (ControlPlane plane =
            ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, console::add);
        StoreCluster cluster =
            StoreCluster.start(
                Ports.free(NODES), STORES, folder, EPSILON, plane.watch(), plane.registry());
        PartsWatch watch = PartsWatch.start(plane, cluster, console::add)) {
      awaitSafePointOfNow(plane);
      plane.flink().cancel();
      awaitConsole("the detection job has failed: CANCEL");
      awaitConsole("the detection job runs again");
      awaitSafePointOfNow(plane);

      Thread producer =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().equals("palinode-candidates-1"))
              .findFirst()
              .orElseThrow();
      producer.interrupt();
      awaitConsole("the detector of node 1 has failed: ");
      awaitConsole("the detector of node 1 runs again");
      awaitSafePointOfNow(plane);
      assertThat(cluster.size()).isEqualTo(NODES);
      assertThat(watch).isNotNull();
    }
  }

  @Test
  void aControlLogThatIsMadeAgainEndsItsReadersWithTheReason() throws Exception {
    Cluster layout = StoreCluster.layout(Ports.free(NODES));
    try (ControlPlane plane =
            ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, console::add);
        WatchedNode first = node(0, layout, plane);
        WatchedNode second = node(1, layout, plane)) {
      awaitSafePointOfNow(plane);
      makeControlLogAgain(plane, 1_000);
      String lost =
          "topic palinode.control.v1 lost records that were read: the reader is at offset ";
      await().atMost(BOUND).untilAsserted(() -> assertThat(first.failure()).contains(lost));
      await().atMost(BOUND).untilAsserted(() -> assertThat(second.failure()).contains(lost));
      assertThat(first.isRunning()).isFalse();
      await()
          .atMost(BOUND)
          .untilAsserted(
              () -> {
                Printed printed = status(plane.apiUrl());
                assertThat(printed.text() + printed.exit()).contains(lost).endsWith("1");
              });
      assertThat(send(plane.apiUrl() + "/healthz").statusCode()).isEqualTo(503);
      awaitConsole("alert=orchestrator_stopped");
      assertThat(console)
          .anyMatch(line -> line.contains("; start 'palinode run orchestrator' again"));
    }
  }

  /** After so many records that the new one is shorter when the readers look. */
  private static void makeControlLogAgain(ControlPlane plane, int records) throws Exception {
    KafkaSettings kafka = KafkaSettings.of(plane.kafkaAddress());
    byte[] key = {1};
    try (Producer<byte[], byte[]> producer = kafka.newProducer("test")) {
      for (int i = 0; i < records; i++) {
        var unused =
            producer.send(new ProducerRecord<>(Topics.DEFAULT.control(), 0, key, new byte[0]));
      }
    }
    for (String reader : List.of("palinode.records.refused", "palinode.detector.records.refused")) {
      await().atMost(BOUND).until(() -> refused(plane, reader) >= records);
    }
    try (Admin admin = kafka.newAdmin("test");
        TopicsAdmin topics = new TopicsAdmin(kafka, Topics.DEFAULT)) {
      admin.deleteTopics(List.of(Topics.DEFAULT.control())).all().get();
      topics.createAbsent(TopicLayout.DEFAULT);
    }
  }

  /** Records of the control log that each reader with this counter has refused at least. */
  private static double refused(ControlPlane plane, String counter) {
    Map<String, Double> byNode =
        plane
            .registry()
            .find(counter)
            .tag("topic", Topics.DEFAULT.control())
            .functionCounters()
            .stream()
            .collect(
                Collectors.groupingBy(
                    one -> String.valueOf(one.getId().getTag("node")),
                    Collectors.summingDouble(FunctionCounter::count)));
    return byNode.values().stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  /** Node 0 runs at 10ms. */
  private void assertPartsOfAnotherEpsilonAreRefused(Cluster layout, ControlPlane plane)
      throws IOException {
    String cluster = Files.writeString(folder.resolve("cluster.xml"), layout.toXml()).toString();
    String data = folder.resolve("other").toString();
    List<String> kafka = List.of("--kafka", plane.kafkaAddress(), "--data", data);
    for (List<String> part :
        List.of(
            List.of("run", "node", "--cluster", cluster, "--id", "1", "--epsilon", "50ms"),
            List.of("run", "detection", "--nodes", "2", "--epsilon", "50ms"))) {
      List<String> all = new ArrayList<>(part);
      all.addAll(kafka);
      StringWriter err = new StringWriter();
      CommandLine command = Main.commandLine().setErr(new PrintWriter(err, true));
      assertThat(command.execute(all.toArray(String[]::new))).as(err.toString()).isEqualTo(2);
      assertThat(err.toString())
          .contains("--epsilon is 50ms, but others run with another one: node 0 at 10ms");
    }
  }

  private void awaitEpsilonsDiffer(ControlPlane plane) {
    String found = "10ms at the detection job, node 0; 50ms at node 1";
    await()
        .atMost(BOUND)
        .untilAsserted(
            () -> {
              Printed printed = status(plane.apiUrl());
              assertThat(printed.text().replaceAll("\\s+", " "))
                  .contains(found)
                  .contains("restart them with one");
              assertThat(printed.exit()).isEqualTo(1);
            });
    await().until(() -> console.stream().anyMatch(line -> line.contains(found)));
  }

  private WatchedNode node(int id, Cluster layout, ControlPlane plane) {
    return node(id, layout, plane, EPSILON);
  }

  private WatchedNode node(int id, Cluster layout, ControlPlane plane, Epsilon epsilon) {
    return WatchedNode.start(
        WatchedNode.config(id, layout, STORES, epsilon),
        folder,
        null,
        plane.watch(),
        plane.registry());
  }

  private void awaitConsole(String beginning) {
    await()
        .atMost(BOUND)
        .untilAsserted(
            () ->
                assertThat(new ArrayList<>(console))
                    .anySatisfy(line -> assertThat(line).startsWith(beginning)));
  }

  private static void awaitSafePointOfNow(ControlPlane plane) {
    long now = Hlc.ofMicros(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    await().atMost(BOUND).until(() -> plane.orchestrator().status().safePoint() >= now);
  }

  private record Printed(String text, int exit) {}

  private static Printed status(String url) {
    return palinode("status", url);
  }

  private static Printed palinode(String command, String url) {
    StringWriter out = new StringWriter();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(out, true))
            .execute(command, "--server", url);
    return new Printed(out.toString(), exit);
  }

  private static HttpResponse<String> send(String url) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }
}

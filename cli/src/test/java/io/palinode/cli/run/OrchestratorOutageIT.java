package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code palinode run} in processes of their own, with a broker that goes away and comes back. */
@Tag("slow")
class OrchestratorOutageIT {
  private static final Duration BOUND = Duration.ofSeconds(90);

  /** Longer than the election allows a member to be silent. */
  private static final Duration OUTAGE = Duration.ofSeconds(20);

  @TempDir Path folder;
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(process -> process.destroyForcibly().onExit().join());
  }

  @Test
  void aLoneOrchestratorWaitsForKafkaAndGoesOn() throws Exception {
    int api = Ports.free(1).get(0);
    int port = Ports.free(1).get(0);
    EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"), port);
    try {
      Path log = folder.resolve("orchestrator.log");
      Process orchestrator = orchestrator(kafka.bootstrapServers(), api, log);
      await("ready").atMost(BOUND).until(() -> Files.readString(log).contains("ready"));
      kafka.close();
      await("it says so")
          .atMost(BOUND)
          .until(() -> health(api) == 503 && Files.readString(log).contains("kafka=SILENT"));
      await("it waits").during(OUTAGE).atMost(BOUND).until(orchestrator::isAlive);
      kafka = EmbeddedKafka.start(folder.resolve("kafka"), port);
      await("it continues")
          .atMost(BOUND)
          .until(() -> Files.readString(log).contains("kafka=ANSWERS"));
      assertThat(orchestrator.isAlive()).isTrue();
      assertThat(Files.readString(log)).doesNotContain("taken over");
    } finally {
      kafka.close();
    }
  }

  @Test
  void withoutKafkaItWaitsAndEndsAtOnceWhenAsked() throws Exception {
    Path log = folder.resolve("orchestrator.log");
    Process orchestrator = orchestrator("127.0.0.1:" + Ports.free(1).get(0), 0, log);
    await("it says so")
        .atMost(BOUND)
        .until(() -> Files.readString(log).contains("still waiting for Kafka at"));
    assertThat(orchestrator.isAlive()).as(Files.readString(log)).isTrue();
    orchestrator.destroy();
    assertThat(orchestrator.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(log)).doesNotContain("defect").doesNotContain("palinode: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"node", "detection"})
  void anotherPartWithoutKafkaWaitsAndEndsAtOnceWhenAsked(String part) throws Exception {
    Path log = folder.resolve(part + ".log");
    String kafka = "127.0.0.1:" + Ports.free(1).get(0);
    String data = folder.resolve("data").toString();
    String cluster =
        Files.writeString(folder.resolve("cluster.xml"), StoreCluster.layout(Ports.free(1)).toXml())
            .toString();
    Process waiting =
        part.equals("node")
            ? run(log, part, "--kafka", kafka, "--data", data, "--id", "0", "--cluster", cluster)
            : run(log, part, "--kafka", kafka, "--data", data, "--nodes", "1");
    await("it says so")
        .atMost(BOUND)
        .until(() -> Files.readString(log).contains("still waiting for Kafka at"));
    assertThat(waiting.isAlive()).as(Files.readString(log)).isTrue();
    waiting.destroy();
    assertThat(waiting.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(log)).doesNotContain("defect").doesNotContain("palinode: ");
  }

  @Test
  void aTakenPortOfKafkaIsOneSentence() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Path log = folder.resolve("kafka.log");
      String port = Integer.toString(taken.getLocalPort());
      Process kafka = run(log, "kafka", "--data", folder.toString(), "--port", port);
      assertThat(kafka.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(Files.readString(log).strip().lines())
          .singleElement()
          .asString()
          .startsWith("palinode: Kafka's port must be free: port=" + port);
      assertThat(kafka.exitValue()).isEqualTo(2);
    }
  }

  private Process orchestrator(String kafka, int api, Path log) throws IOException {
    return run(
        log, "orchestrator", "--kafka", kafka, "--nodes", "1", "--port", Integer.toString(api));
  }

  private Process run(Path log, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.palinode.cli.Main",
                "run"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    started.add(process);
    return process;
  }

  /** 0 when the API does not answer. */
  private static int health(int api) throws InterruptedException {
    URI uri = URI.create("http://127.0.0.1:%d/healthz".formatted(api));
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (IOException notYet) {
      return 0;
    }
  }
}

package io.palinode.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.Main;
import io.palinode.demo.DemoGraph;
import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The demo's application on a cluster that is not the demo's own. */
@Timeout(240)
@Tag("slow")
class ExternalDemoIT {
  private static final int NODES = 3;
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);

  @TempDir static Path folder;
  private static ControlPlane plane;
  private static StoreCluster cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() {
    plane = ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, line -> {});
    cluster =
        StoreCluster.start(
            Ports.free(NODES),
            List.of(
                StoreDefinition.of("colouring", Persistence.BDB, NODES, 1, 1),
                StoreDefinition.of("strict", Persistence.BDB, NODES, 1, NODES)),
            folder,
            EPSILON,
            plane.watch(),
            plane.registry());
  }

  @AfterAll
  static void stop() {
    try {
      cluster.close();
    } finally {
      plane.close();
    }
  }

  @Test
  void theApplicationRunsThereAndIsRightAndLeavesNoPredicateBehind() throws Exception {
    int status = demo("--modes", "sequential,watched", "--store", "strict");
    assertThat(status).as(err.toString()).isZero();
    assertThat(modes().get(1).path("storeSettings").asText()).isEqualTo("N=3 R=1 W=3");

    long before = rollbacks();
    leaveAnEmptySection();
    status = demo();
    assertThat(status).as(err.toString()).isZero();
    JsonNode watched = modes().get(1);
    assertThat(watched.path("mode").asText()).isEqualTo("watched");
    assertThat(watched.path("answerCorrect").asBoolean()).isTrue();
    assertThat(watched.path("storeSettings").asText()).isEqualTo("N=3 R=1 W=1");
    // Those of its warm-up are not the run's.
    assertThat(watched.path("rollbacks").asLong()).isBetween(0L, rollbacks() - before);
    assertThat(plane.orchestrator().predicates()).isEmpty();
  }

  /** As a run that was killed leaves it. */
  private static void leaveAnEmptySection() {
    Edge edge = DemoGraph.parse("karate", 1).graph().edges().get(0);
    try (StoreClient client = StoreClient.connect(ClientConfig.of(cluster.addresses(), "dead"))) {
      for (int end : new int[] {edge.a(), edge.b()}) {
        client.store("colouring").put(Keys.flag(edge, end), Keys.WANTED);
        client.store("colouring").put(Keys.cs(edge, end), Keys.INSIDE);
      }
    }
  }

  private static long rollbacks() {
    Orchestrator orchestrator = plane.orchestrator();
    return orchestrator.rollbacks(1_000).stream().filter(Rollback::isEnded).count();
  }

  @Test
  void whatIsMissingThereIsNamed() throws Exception {
    assertThat(demo("--store", "absent")).isEqualTo(2);
    assertThat(err.toString())
        .contains("no store 'absent'", "[colouring, strict]", "--store")
        .doesNotContain("at io.palinode");

    assertThat(demo("--modes", "sequential")).isEqualTo(2);
    assertThat(err.toString()).contains("R + W > N").contains("N=3 R=1 W=1");

    assertThat(demo("--replicas", "any")).isEqualTo(2);
    assertThat(err.toString()).contains("--replicas");

    assertThat(run("demo", "--store-address", address(), "--nodes", "3")).isEqualTo(2);
    assertThat(err.toString()).contains("leave it out with --store-address");

    assertThat(run("demo", "--store", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("goes with --store-address only");
  }

  @Test
  void whoDoesNotAnswerIsNamed() throws Exception {
    int unused = Ports.free(1).get(0);
    assertThat(run("demo", "--store-address", "tcp://127.0.0.1:" + unused)).isEqualTo(2);
    assertThat(err.toString()).contains("--store-address", "127.0.0.1:" + unused);

    String noServer = "http://127.0.0.1:" + unused;
    assertThat(run("demo", "--store-address", address(), "--server", noServer)).isEqualTo(2);
    assertThat(err.toString()).contains("orchestrator", noServer);

    try (ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answering = new Thread(() -> answerAsAWebServer(web));
      answering.setDaemon(true);
      answering.start();
      String other = "127.0.0.1:" + web.getLocalPort();
      assertThat(run("demo", "--store-address", other)).isEqualTo(2);
      assertThat(err.toString()).contains(other, "does not speak pb0");
    }
  }

  private static void answerAsAWebServer(ServerSocket web) {
    try (var socket = web.accept()) {
      socket
          .getOutputStream()
          .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      while (socket.getInputStream().read() >= 0) {
        // Until the client has had enough.
      }
    } catch (IOException ended) {
      // The test is over.
    }
  }

  private static String address() {
    return "tcp://" + cluster.addresses().get(0);
  }

  private int demo(String... options) {
    List<String> args = new ArrayList<>(List.of("demo", "--store-address", address()));
    args.addAll(List.of("--server", plane.apiUrl(), "--network", "regional", "--rounds", "2"));
    args.addAll(List.of("--work", "2", "-o", "json"));
    args.addAll(Arrays.asList(options));
    return run(args.toArray(String[]::new));
  }

  private JsonNode modes() throws Exception {
    return new ObjectMapper().readTree(out.toString()).path("modes");
  }

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine commandLine = Main.commandLine();
    commandLine.setOut(new PrintWriter(out));
    commandLine.setErr(new PrintWriter(err));
    return commandLine.execute(args);
  }
}

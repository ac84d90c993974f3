package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.benchmarks.stock.StockVoldemort;
import io.palinode.cli.status.AgentPage;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
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
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stores that are added to stock servers with the agent, or deleted there, while the servers run.
 * Needs a built Voldemort: {@code -Dvoldemort.home=DIR}.
 */
@Timeout(300)
@EnabledIfSystemProperty(named = "voldemort.home", matches = ".+")
class StockStoresIT {
  private static final int NODES = 3;
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);
  private static final Path AGENT = Path.of("../voldemort-agent/target/voldemort-agent.jar");
  private static final Duration START_MAX = Duration.ofSeconds(90);

  private static final List<StoreDefinition> STORES = List.of(store("kept"), store("deleted"));

  @TempDir Path folder;
  private final StockVoldemort voldemort;
  private final List<Process> children = new ArrayList<>();
  private final List<Integer> ports = Ports.free(3 * NODES);
  private final HttpClient http = HttpClient.newHttpClient();

  StockStoresIT() throws IOException {
    voldemort = StockVoldemort.in(Path.of(System.getProperty("voldemort.home")));
    assertThat(AGENT).as("build voldemort-agent first").exists();
  }

  private static StoreDefinition store(String name) {
    return StoreDefinition.of(name, Persistence.BDB, NODES, 1, NODES);
  }

  @AfterEach
  void endChildren() throws InterruptedException {
    for (Process child : children) {
      child.destroy();
    }
    for (Process child : children) {
      if (!child.waitFor(10, TimeUnit.SECONDS)) {
        child.destroyForcibly();
      }
    }
  }

  @Test
  void anAddedStoreIsReportedAsUnwatchedUntilTheServersRestart() throws Exception {
    try (ControlPlane plane = plane()) {
      startServers(plane.kafkaAddress());
      awaitEach("writes are covered", status -> status.path("covered").asBoolean());
      assertThat(plane.orchestrator().status().losses()).isZero();
      if (OS.LINUX.isCurrentOs()) {
        theAgentListensAtItsStatusPortOnly();
      }

      Path added =
          Files.writeString(
              folder.resolve("added.xml"), StoreDefinition.toXml(List.of(store("added"))));
      vadmin("store", "add", "-f", added.toString(), "-u", url(), "--all-nodes");
      awaitEach(
          "the added store is shown",
          status -> !status.path("covered").asBoolean() && names(status, "addedStores", "added"));
      awaitEach("as unwatched too", status -> names(status, "unwatchedStores", "added"));
      assertThat(new AgentPage(status(0)).faults()).singleElement().asString().contains("added");
      Awaitility.await("a coverage gap")
          .atMost(START_MAX)
          .until(() -> plane.orchestrator().status().losses() > 0);

      endChildren();
      children.clear();
      startServers(plane.kafkaAddress());
      awaitEach(
          "the added store is watched",
          status -> status.path("covered").asBoolean() && names(status, "stores", "added"));
    }
  }

  @Test
  void aDeletedStoreEndsItsOwnWatchingAndRollbacksContinue() throws Exception {
    try (ControlPlane plane = plane()) {
      startServers(plane.kafkaAddress());
      awaitEach("writes are covered", status -> status.path("covered").asBoolean());
      try (StoreClient client = client()) {
        Store kept = client.store("kept");
        Store deleted = client.store("deleted");
        for (int i = 0; i < 20; i++) {
          kept.put("k" + i, "before");
          deleted.put("d" + i, "before");
        }
        long target = now();
        Awaitility.await("a later time").until(() -> now() > target + Hlc.ofMicros(2_000));
        for (int i = 0; i < 20; i++) {
          kept.put("k" + i, "after");
          deleted.put("d" + i, "after");
        }
        vadmin("store", "delete", "-s", "deleted", "-u", url(), "--all-nodes", "--confirm");
        awaitEach("the store is not watched", status -> !names(status, "stores", "deleted"));
        for (int id = 0; id < NODES; id++) {
          JsonNode status = status(id);
          assertThat(status.path("off").asBoolean()).as("node %d", id).isFalse();
          assertThat(status.path("covered").asBoolean()).as("node %d", id).isTrue();
          assertThat(status.path("addedStores")).as("node %d", id).isEmpty();
        }

        Rollback opened = rollBack(plane, target);
        Awaitility.await("the rollback has ended")
            .atMost(START_MAX)
            .until(() -> plane.orchestrator().status().openEpoch() == null);
        assertThat(plane.orchestrator().status().epoch()).isEqualTo(opened.epoch());
        try (StoreClient later = client()) {
          for (int i = 0; i < 20; i++) {
            assertThat(later.store("kept").get("k" + i)).isEqualTo("before");
          }
        }
        assertThat(plane.orchestrator().status().losses()).isZero();
      }
    }
  }

  @Test
  void aServerServesAndNamesTheReasonWhileTopicsAreMissing() throws Exception {
    try (EmbeddedKafka kafka =
            EmbeddedKafka.start(folder.resolve("kafka"), EmbeddedKafka.ANY_PORT);
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      startServer(0, kafka.bootstrapServers(), statusPort(0));
      startServer(1, kafka.bootstrapServers(), taken.getLocalPort());
      Awaitility.await("the reason")
          .atMost(START_MAX)
          .ignoreExceptions()
          .until(
              () -> status(0).path("notJoined").asText().contains("topic=palinode.candidates.v1"));
      Awaitility.await("the log of the server whose port is taken")
          .atMost(START_MAX)
          .until(() -> log(1).contains("state=NO_STATUS") && log(1).contains("state=NOT_JOINED"));
      assertThat(children).allMatch(Process::isAlive);
    }
  }

  private ControlPlane plane() throws IOException {
    return ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, line -> {});
  }

  private static Rollback rollBack(ControlPlane plane, long target) throws RefusedException {
    return plane
        .orchestrator()
        .operator()
        .run(new RollbackRequest("stock-stores", target, List.of(), "", 0), "");
  }

  private static long now() {
    return Hlc.ofMicros(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
  }

  private StoreClient client() throws Exception {
    return StoreClient.connect(ClientConfig.of(List.of("127.0.0.1:" + ports.get(0)), "stores"));
  }

  /** The server itself listens for its clients, and for administration. */
  private void theAgentListensAtItsStatusPortOnly() throws IOException {
    List<ListeningSocket> sockets = ListeningSocket.of(children.get(0));
    assertThat(sockets)
        .extracting(ListeningSocket::port)
        .containsOnly(ports.get(0), ports.get(NODES), statusPort(0));
    assertThat(sockets)
        .filteredOn(socket -> socket.port() == statusPort(0))
        .singleElement()
        .matches(ListeningSocket::isLoopback);
  }

  private String url() {
    return "tcp://127.0.0.1:" + ports.get(0);
  }

  private int statusPort(int id) {
    return ports.get(2 * NODES + id);
  }

  private JsonNode status(int id) throws IOException, InterruptedException {
    URI address = URI.create("http://127.0.0.1:" + statusPort(id) + "/status");
    HttpRequest request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(5)).build();
    return new ObjectMapper()
        .readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  private static boolean names(JsonNode status, String field, String store) {
    for (JsonNode each : status.path(field)) {
      if (each.asText().equals(store)) {
        return true;
      }
    }
    return false;
  }

  private void awaitEach(String what, Predicate<JsonNode> holds) {
    for (int id = 0; id < NODES; id++) {
      int node = id;
      Awaitility.await("node " + node + ": " + what)
          .atMost(START_MAX)
          .ignoreExceptions()
          .until(() -> holds.test(status(node)));
    }
  }

  private String log(int id) throws IOException {
    return Files.readString(folder.resolve("stock-" + id).resolve("server.log"));
  }

  private void startServers(String kafka) throws IOException {
    for (int id = 0; id < NODES; id++) {
      startServer(id, kafka, statusPort(id));
    }
  }

  private void startServer(int id, String kafka, int statusPort) throws IOException {
    Path home = folder.resolve("stock-" + id);
    Path config = Files.createDirectories(home.resolve("config"));
    if (!Files.exists(config.resolve("STORES"))) {
      Files.writeString(config.resolve("cluster.xml"), cluster().toXml());
      Files.writeString(config.resolve("stores.xml"), StoreDefinition.toXml(STORES));
    }
    Files.writeString(
        config.resolve("server.properties"),
        """
        node.id=%d
        http.enable=false
        socket.enable=true
        enable.nio.connector=true
        jmx.enable=false
        bdb.cache.size=32MB
        storage.configs=voldemort.store.bdb.BdbStorageConfiguration
        """
            .formatted(id));
    Path agent =
        Files.writeString(
            folder.resolve("agent-" + id + ".yaml"),
            "kafka: %s%ndata: %s%nepsilon: 1ms%nwindowLogBytes: 32MiB%njoinTimeout: 5s%nstatusPort: %d%n"
                .formatted(kafka, folder.resolve("agent-" + id), statusPort));
    List<String> program = List.of(home.toString(), config.toString());
    children.add(
        start(
            home.resolve("server.log"),
            "voldemort.server.VoldemortServer",
            List.of("-Xmx300m", "-javaagent:" + AGENT + "=" + agent),
            program));
  }

  private void vadmin(String... arguments) throws IOException, InterruptedException {
    Path log = Files.createTempFile(folder, "vadmin", ".log");
    Process process = start(log, "voldemort.tools.admin.VAdminTool", List.of(), List.of(arguments));
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(log)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    assertThat(Files.readString(log)).doesNotContain("Failed", "failed");
  }

  private Process start(Path log, String main, List<String> options, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", voldemort.classPathText(), main));
    command.addAll(arguments);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  /** The first ports are the sockets', the next the admins', the last the agents'. */
  private Cluster cluster() {
    List<Node> nodes =
        IntStream.range(0, NODES)
            .mapToObj(
                id ->
                    new Node(
                        id,
                        "127.0.0.1",
                        ports.get(NODES + id),
                        ports.get(id),
                        ports.get(NODES + id),
                        0,
                        List.of(id, id + NODES, id + 6)))
            .toList();
    return new Cluster("stores", List.of(), nodes);
  }
}

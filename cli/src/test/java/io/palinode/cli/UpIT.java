package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The whole cluster in its own process, killed and stopped. */
@Timeout(240)
class UpIT {
  static final String STORES =
      """
      <stores>
        <store>
          <name>kept</name>
          <persistence>bdb</persistence>
          <routing>client</routing>
          <replication-factor>3</replication-factor>
          <required-reads>1</required-reads>
          <required-writes>3</required-writes>
          <key-serializer><type>string</type></key-serializer>
          <value-serializer><type>string</type></value-serializer>
        </store>
      </stores>
      """;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int NODES = 3;
  private static final int WRITERS = 3;
  private static final int WRITES_MIN = 300;
  private static final Duration START_MAX = Duration.ofSeconds(90);
  private static final Duration STOP_MAX = Duration.ofSeconds(45);
  private static final int TERMINATED = 143;

  @TempDir Path folder;
  private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
  private int portBase;
  private final List<Process> children = new ArrayList<>();

  @AfterEach
  void endChildren() {
    children.forEach(Process::destroyForcibly);
  }

  @Test
  void whatWasAcknowledgedAndThePastAreThereAfterAKillAndAfterAStop() throws Exception {
    portBase = UpProcess.freeBase();
    Files.writeString(folder.resolve("stores.xml"), STORES);

    Process first = start();
    long early = putEarly();
    killWhileWriting(first);
    Process restarted = start();
    assertEveryNodeHasWhatWasAcknowledged();
    assertThePastIsOnDisk(early);
    await("the kill is published as a coverage gap of every node")
        .atMost(START_MAX)
        .until(() -> status().path("coverageLosses").asInt() == NODES);
    acknowledgeCoverage();
    await("the safe point moves").atMost(START_MAX).until(this::isSafePointPastNow);

    restarted.destroy();
    assertThat(restarted.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(restarted.exitValue()).isIn(0, TERMINATED);
    Process again = start();
    assertEveryNodeHasWhatWasAcknowledged();
    await("the safe point moves").atMost(START_MAX).until(this::isSafePointPastNow);
    assertThat(status().path("coverageLosses").asInt()).as("after a stop in order").isZero();
    assertThat(send(at("/metrics").GET()))
        .contains("palinode_detector_opened_total", "palinode_epoch", "palinode_job_restarts_total")
        .contains(listedOfTheStore());
    if (OS.LINUX.isCurrentOs()) {
      // Read from /proc.
      assertListensOnTheDocumentedPortsOfLoopbackAlone(again);
    }
  }

  /** {@code # TYPE} lines of the store's and the process's metrics that panels read. */
  private static List<String> listedOfTheStore() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            UpIT.class.getResourceAsStream("/palinode/dashboards/metrics.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("store ") || line.startsWith("process "))
          .map(line -> "# TYPE " + line.substring(line.indexOf(' ') + 1))
          .toList();
    }
  }

  /** A time at which {@code k} is {@code first}, which is not its last value. */
  private long putEarly() {
    try (StoreClient client = client()) {
      client.store("kept").put("k", "first");
      long early = nowHlc();
      client.store("kept").put("k", "later");
      return early;
    }
  }

  private void assertThePastIsOnDisk(long early) {
    try (StoreClient client = client()) {
      Store store = client.store("kept");
      assertThat(store.past().getAt("k", early)).isEqualTo("first");
      for (int node = 0; node < NODES; node++) {
        PastStore.Reach reach = store.past().reachAt(node);
        assertThat(reach.from()).isLessThan(early);
        assertThat(reach.memory().from()).isGreaterThan(early);
        assertThat(reach.disk().bytes()).isPositive();
        assertThat(reach.disk().failure()).isEmpty();
      }
    }
  }

  private void assertListensOnTheDocumentedPortsOfLoopbackAlone(Process up) throws IOException {
    List<ListeningSocket> sockets = ListeningSocket.of(up);
    assertThat(sockets).allMatch(ListeningSocket::isLoopback);
    Set<Integer> known = new TreeSet<>();
    for (int node = 0; node < NODES; node++) {
      known.add(portBase + node);
    }
    int api = portBase + UpCommand.API_OFFSET;
    known.addAll(List.of(api, portBase + UpCommand.KAFKA_OFFSET));
    assertThat(sockets).extracting(ListeningSocket::port).containsAll(known);
    assertThat(sockets.stream().filter(socket -> !known.contains(socket.port())))
        .as("Kafka's controller and Flink's blob server")
        .hasSize(2);
    assertThat(sockets.stream().filter(socket -> socket.port() != api))
        .as("no other port speaks HTTP, so none lists or cancels Flink's job")
        .noneMatch(socket -> socket.answerToHttp().contains("HTTP"));
  }

  /** Asked once, it waits: what is now is past a moment later. */
  private boolean isSafePointPastNow() throws IOException, InterruptedException {
    long now = nowHlc();
    await().atMost(START_MAX).until(() -> Hlc.parse(status().path("safePoint").asText()) >= now);
    return true;
  }

  private static long nowHlc() {
    return Hlc.ofMicros(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
  }

  private JsonNode status() throws IOException, InterruptedException {
    return JSON.readTree(send(api("status").GET()));
  }

  private void acknowledgeCoverage() {
    StringWriter out = new StringWriter();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .execute(
                "acknowledge",
                "--yes",
                "--server",
                "http://127.0.0.1:" + (portBase + UpCommand.API_OFFSET));
    assertThat(exit).isZero();
    assertThat(out.toString()).contains("unknown: ", "acknowledged");
  }

  private HttpRequest.Builder api(String path) {
    return at("/api/v1/" + path);
  }

  private HttpRequest.Builder at(String path) {
    int port = portBase + UpCommand.API_OFFSET;
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)));
  }

  private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(request.build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private void killWhileWriting(Process up) throws InterruptedException {
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      String prefix = "k" + i + "_";
      Thread writer = new Thread(() -> writeUntilKilled(prefix), "writer-" + i);
      writer.start();
      writers.add(writer);
    }
    await().atMost(START_MAX).until(() -> acknowledged.size() >= WRITES_MIN);
    up.destroyForcibly();
    assertThat(up.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)).isTrue();
    for (Thread writer : writers) {
      writer.join(STOP_MAX.toMillis());
      assertThat(writer.isAlive()).isFalse();
    }
  }

  private void writeUntilKilled(String prefix) {
    try (StoreClient client = client()) {
      Store store = client.store("kept");
      for (int i = 0; ; i++) {
        String value = "v" + i;
        store.put(prefix + i, value);
        acknowledged.put(prefix + i, value);
      }
    } catch (StoreException killed) {
      // What was not acknowledged may be there or not.
    }
  }

  private void assertEveryNodeHasWhatWasAcknowledged() {
    try (StoreClient client = client()) {
      Store store = client.store("kept");
      acknowledged.forEach(
          (key, value) -> {
            for (int node = 0; node < NODES; node++) {
              assertThat(store.versionsAt(node, key))
                  .as("key=%s node=%d", key, node)
                  .anySatisfy(version -> assertThat(version.text()).isEqualTo(value));
            }
          });
    }
  }

  private Process start() throws IOException {
    Process up = UpProcess.start(folder, portBase, List.of("--cluster", clusterXml().toString()));
    children.add(up);
    return up;
  }

  /** With partitions, and an order of the nodes, that no --nodes gives. */
  private Path clusterXml() throws IOException {
    List<Node> nodes = new ArrayList<>();
    List<List<Integer>> partitions = List.of(List.of(0, 3, 4), List.of(1), List.of(2, 5));
    for (int id : List.of(2, 0, 1)) {
      int port = portBase + id;
      nodes.add(new Node(id, "localhost", port, port, port, 0, partitions.get(id)));
    }
    return Files.writeString(
        folder.resolve("cluster.xml"), new Cluster("described", List.of(), nodes).toXml());
  }

  private StoreClient client() {
    return StoreClient.connect(ClientConfig.of(List.of("127.0.0.1:" + portBase), "up-it"));
  }
}

package io.palinode.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.benchmarks.stock.StockVoldemort;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.WatchedNode;
import io.palinode.launcher.embedded.Ports;
import io.palinode.terminal.ApiClient;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The stock Java client, with the agent and without, before our nodes, before stock servers, and
 * before a cluster of both. Needs a built Voldemort: {@code -Dvoldemort.home=DIR}.
 */
@Timeout(300)
@EnabledIfSystemProperty(named = "voldemort.home", matches = ".+")
class StockClientIT {
  private static final int NODES = 3;
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);
  private static final Path WORKLOAD = Path.of("src/test/resources/stock/StockWorkload.java");
  private static final Path READ = Path.of("src/test/resources/stock/StockRead.java");
  private static final Path PUT = Path.of("src/test/resources/stock/StockPut.java");
  private static final Path AGENT = Path.of("../voldemort-agent/target/voldemort-agent.jar");
  private static final String WOVEN = "-javaagent:" + AGENT + "=client";
  private static final Duration START_MAX = Duration.ofSeconds(90);

  private static final List<StoreDefinition> STORES =
      List.of(
          StoreDefinition.of("one", Persistence.BDB, NODES, 1, NODES),
          StoreDefinition.of("quorum", Persistence.BDB, NODES, 2, 2),
          StockHints.store("hinted", NODES));

  @TempDir Path folder;
  private final StockVoldemort voldemort;
  private final List<Process> children = new ArrayList<>();

  StockClientIT() throws IOException {
    voldemort = StockVoldemort.in(Path.of(System.getProperty("voldemort.home")));
    assertThat(AGENT).as("build voldemort-agent first").exists();
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
  void itsWorkloadsAreRightOnNodesOfOurs() throws Exception {
    try (StoreCluster cluster =
        StoreCluster.start(
            Ports.free(NODES), STORES, folder, EPSILON, null, new SimpleMeterRegistry())) {
      for (StoreDefinition store : STORES) {
        assertThat(workload(cluster.addresses().get(1), store.name())).isZero();
        assertThat(workload(cluster.addresses().get(1), store.name(), WOVEN)).isZero();
      }
    }
  }

  /** A reader that was taken for a writer would begin intervals of what it only passes on. */
  @Test
  void whatAReadRepairsIsACopyOfTheNodeThatItWasReadAt() throws Exception {
    try (StoreCluster cluster =
        StoreCluster.start(
            Ports.free(NODES), STORES, folder, EPSILON, null, new SimpleMeterRegistry())) {
      StoreKey key = new StoreKey("quorum", "k".getBytes(UTF_8));
      List<Integer> asked =
          new Ring(cluster.node(0).config().cluster(), NODES).preferenceList(key.key());
      BlockingQueue<WriteEvent> repaired = new LinkedBlockingQueue<>();
      cluster.node(asked.get(1)).listen(repaired::add);
      var unused =
          cluster
              .node(asked.get(0))
              .writes()
              .put(
                  key,
                  Versioned.ofText("v", VectorClock.EMPTY.incremented(asked.get(0), 1)),
                  Caller.STOCK);

      Process reader =
          start(
              folder.resolve("reader.log"),
              java("-cp", voldemort.classPathText(), WOVEN),
              List.of(READ.toString(), "tcp://" + cluster.addresses().get(0), "quorum", "k"));
      children.add(reader);
      WriteEvent repair = repaired.poll(START_MAX.toSeconds(), TimeUnit.SECONDS);
      assertThat(repair).as(Files.readString(folder.resolve("reader.log"))).isNotNull();
      assertThat(repair.key()).isEqualTo(key);
      assertThat(repair.origin()).isEqualTo(asked.get(0));
      assertThat(repair.writer()).isEmpty();
    }
  }

  @Test
  void withTheAgentItIsServedByStockServersThatHaveNone() throws Exception {
    List<Integer> ports = Ports.free(2 * NODES);
    for (int id = 0; id < NODES; id++) {
      stockNode(id, cluster(ports), List.of());
    }
    for (int id = 0; id < NODES; id++) {
      awaitListening(ports.get(id));
    }
    for (StoreDefinition store : STORES) {
      assertThat(workload("127.0.0.1:" + ports.get(0), store.name(), WOVEN)).isZero();
    }
  }

  @Test
  void bothClientsAreServedByAClusterOfTwoStockNodesWithTheAgentAndOneOfOurs() throws Exception {
    List<Integer> ports = Ports.free(2 * NODES);
    Cluster cluster = cluster(ports);
    try (ControlPlane plane =
            ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, line -> {});
        WatchedNode ours = ourNode(cluster, plane)) {
      stockNode(0, cluster, plane.kafkaAddress());
      stockNode(1, cluster, plane.kafkaAddress());
      awaitListening(ports.get(0));
      awaitListening(ports.get(1));
      Awaitility.await("all nodes have joined")
          .atMost(START_MAX)
          .until(() -> plane.orchestrator().status().nodesJoined() == NODES);
      assertThat(ours.isRunning()).isTrue();
      Awaitility.await("each node has reported the free space of its disk")
          .atMost(START_MAX)
          .until(() -> Stream.of(0, 1, 2).allMatch(node -> freeBytes(plane, node) > 0));

      for (int bootstrap : List.of(0, 2)) {
        assertThat(workload("127.0.0.1:" + ports.get(bootstrap), "one")).isZero();
        assertThat(workload("127.0.0.1:" + ports.get(bootstrap), "one", WOVEN)).isZero();
      }
      assertThat(workload("127.0.0.1:" + ports.get(0), "quorum")).isZero();
      assertOursIsServed("127.0.0.1:" + ports.get(1));
      assertThat(plane.orchestrator().unjudged()).isEmpty();
    }
  }

  @Test
  void anAgentThatHasTurnedItselfOffIsShownWithTheWayOut() throws Exception {
    List<Integer> ports = Ports.free(2 * NODES);
    try (ControlPlane plane =
        ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, line -> {})) {
      stockNode(0, cluster(ports), plane.kafkaAddress());
      Awaitility.await("the node has joined")
          .atMost(START_MAX)
          .until(() -> plane.orchestrator().status().nodesJoined() == 1);
      EndThread.of(children.get(0), "palinode-candidates-0", folder);
      ApiClient api = ApiClient.at(plane.apiUrl());
      Awaitility.await("agent off")
          .atMost(START_MAX)
          .until(() -> api.get("/api/v1/nodes").at("/0/state").asText().equals("agent off"));
      assertThat(api.get("/api/v1/nodes").at("/0/why").asText())
          .contains("a thread of its detector has ended")
          .endsWith("; restart its server");
    }
  }

  /** Both ends say, and heed, of which epoch a hint is: the first one of a stream, and the next. */
  @Test
  void hintsAreDeliveredWithTheirEpochAndRefusedInAnother() throws Exception {
    List<Integer> ports = Ports.free(2 * NODES);
    Cluster cluster = cluster(ports);
    int admin = ports.get(NODES + 2);
    try (ControlPlane plane =
        ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, line -> {})) {
      stockNode(0, cluster, plane.kafkaAddress());
      stockNode(1, cluster, plane.kafkaAddress());
      awaitListening(ports.get(0));
      awaitListening(ports.get(1));
      try (ServerSocket away = new ServerSocket(admin, 1, InetAddress.getLoopbackAddress())) {
        String bootstrap = "127.0.0.1:" + ports.get(0);
        assertThat(run(PUT, bootstrap, "hinted", List.of("k", "50"), WOVEN)).isZero();
        assertThat(StockHints.epochsOfTheFirstTwo(away)).containsExactly(0L, 0L);
      }
      stockNode(2, cluster, plane.kafkaAddress());
      awaitListening(ports.get(2));
      assertHintsArrive(ports.get(2), admin);
    }
  }

  /** As puts of a client, which say their epoch: who has another one would refuse them. */
  @Test
  void hintsThatAreDeliveredOneByOneArriveToo() throws Exception {
    List<Integer> ports = Ports.free(2 * NODES);
    Cluster cluster = cluster(ports);
    try (ControlPlane plane =
        ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, line -> {})) {
      for (int id = 0; id < 2; id++) {
        stockNode(
            id,
            cluster,
            agent(id, plane.kafkaAddress()),
            "pusher.type=blocking",
            "enable.server.routing=true",
            "request.format=pb0");
      }
      awaitListening(ports.get(0));
      awaitListening(ports.get(1));
      String bootstrap = "127.0.0.1:" + ports.get(0);
      assertThat(run(PUT, bootstrap, "hinted", List.of("k", "50"), WOVEN)).isZero();
      stockNode(2, cluster, plane.kafkaAddress());
      awaitListening(ports.get(2));
      try (StoreClient client =
          StoreClient.connect(ClientConfig.of(List.of("127.0.0.1:" + ports.get(2)), "looks on"))) {
        assertAllAt(2, client.store("hinted"));
      }
    }
  }

  /**
   * In Voldemort alone the job then waits for ever for who takes its end: no run comes after it.
   */
  @Test
  void aServerOfWhichARunIsRefusedAtItsVeryEndDeliversItsHintsWithTheNext() throws Exception {
    List<Integer> ports = Ports.free(2 * NODES);
    Cluster cluster = cluster(ports);
    int admin = ports.get(NODES + 2);
    try (ControlPlane plane =
        ControlPlane.start(folder, NODES, EPSILON, ControlPlane.Ports.FREE, line -> {})) {
      for (int id = 0; id < 2; id++) {
        stockNode(id, cluster, agent(id, plane.kafkaAddress()), "slop.batch.size=1");
      }
      awaitListening(ports.get(0));
      awaitListening(ports.get(1));
      try (ServerSocket away = new ServerSocket(admin, 1, InetAddress.getLoopbackAddress())) {
        String bootstrap = "127.0.0.1:" + ports.get(0);
        assertThat(run(PUT, bootstrap, "hinted", List.of("k", "1"), WOVEN)).isZero();
        StockHints.refuse(
            away,
            () ->
                Awaitility.await("a job that has no hint left")
                    .atMost(START_MAX)
                    .until(() -> children.stream().anyMatch(StockClientIT::endsItsRun)));
        StockHints.refuse(away, () -> {});
      }
    }
  }

  /** Whether the job that delivers hints waits for who takes what it hands over. */
  private static boolean endsItsRun(Process server) {
    try {
      Process print =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                  Long.toString(server.pid()),
                  "Thread.print")
              .redirectErrorStream(true)
              .start();
      String threads = new String(print.getInputStream().readAllBytes(), UTF_8);
      return Stream.of(threads.split("\n\n"))
          .anyMatch(
              thread ->
                  thread.contains("StreamingSlopPusherJob.run")
                      && thread.contains("java.util.concurrent.SynchronousQueue"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertHintsArrive(int port, int admin) throws Exception {
    try (StoreClient client =
        StoreClient.connect(ClientConfig.of(List.of("127.0.0.1:" + port), "looks on"))) {
      Store store = client.store("hinted");
      assertAllAt(2, store);
      StockHints.deliver(admin, "first", 0, "next", 0);
      StockHints.deliver(admin, "first", 0, "otherEpoch", 5);
      StockHints.deliver(admin, "alsoOther", 5, "behindIt", 0);
      assertThat(store.versionsAt(2, "first")).hasSize(1);
      assertThat(store.versionsAt(2, "next")).hasSize(1);
      for (String refused : List.of("otherEpoch", "alsoOther", "behindIt")) {
        assertThat(store.versionsAt(2, refused)).as(refused).isEmpty();
      }
    }
  }

  private static void assertAllAt(int node, Store store) {
    for (int i = 0; i < 50; i++) {
      String key = "k" + i;
      Awaitility.await(key).atMost(START_MAX).until(() -> store.versionsAt(node, key).size() == 1);
    }
  }

  private static void assertOursIsServed(String address) {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(List.of(address), "mixed"))) {
      Store store = client.store("one");
      for (int i = 0; i < 100; i++) {
        assertThat(store.put("ours" + i, "v" + i).acceptedAt()).isPositive();
      }
      for (int i = 0; i < 100; i++) {
        String key = "ours" + i;
        assertThat(store.get(key)).isEqualTo("v" + i);
        for (int node = 0; node < NODES; node++) {
          assertThat(store.versionsAt(node, key)).as("node %d", node).hasSize(1);
        }
        assertThat(store.delete(key)).isTrue();
        assertThat(store.get(key)).isNull();
      }
    } catch (StoreException e) {
      throw new AssertionError("our client was not served: " + e.getMessage(), e);
    }
  }

  /** NaN until it is known. */
  private static double freeBytes(ControlPlane plane, int node) {
    return plane
        .registry()
        .get("palinode.store.free.bytes")
        .tag("node", Integer.toString(node))
        .gauge()
        .value();
  }

  /** The exit status of the workload, in its own process. */
  private int workload(String address, String store, String... options)
      throws IOException, InterruptedException {
    return run(WORKLOAD, address, store, List.of(), options);
  }

  private int run(
      Path source, String address, String store, List<String> arguments, String... options)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(folder, "workload", ".log");
    List<String> java = java("-Xmx256m", "-cp", voldemort.classPathText());
    java.addAll(List.of(options));
    List<String> program = new ArrayList<>(List.of(source.toString(), "tcp://" + address, store));
    program.addAll(arguments);
    Process process = start(log, java, program);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(Files.readString(log)).isTrue();
    if (process.exitValue() != 0) {
      System.err.println(Files.readString(log));
    }
    return process.exitValue();
  }

  private WatchedNode ourNode(Cluster cluster, ControlPlane plane) {
    return WatchedNode.start(
        WatchedNode.config(2, cluster, STORES, EPSILON),
        folder,
        null,
        plane.watch(),
        plane.registry());
  }

  private void stockNode(int id, Cluster cluster, String kafka) throws IOException {
    stockNode(id, cluster, agent(id, kafka));
  }

  private List<String> agent(int id, String kafka) throws IOException {
    Path agent =
        Files.writeString(
            folder.resolve("agent-" + id + ".yaml"),
            "kafka: %s%ndata: %s%nepsilon: 1ms%nwindowLogBytes: 32MiB%n"
                .formatted(kafka, folder.resolve("agent-" + id)));
    return List.of("-javaagent:" + AGENT + "=" + agent);
  }

  private void stockNode(int id, Cluster cluster, List<String> options, String... properties)
      throws IOException {
    Path home = folder.resolve("stock-" + id);
    Path config = Files.createDirectories(home.resolve("config"));
    Files.writeString(config.resolve("cluster.xml"), cluster.toXml());
    Files.writeString(config.resolve("stores.xml"), StoreDefinition.toXml(STORES));
    Files.writeString(
        config.resolve("server.properties"),
        """
        node.id=%d
        http.enable=false
        socket.enable=true
        enable.nio.connector=true
        jmx.enable=false
        bdb.cache.size=32MB
        slop.frequency.ms=2000
        storage.configs=voldemort.store.bdb.BdbStorageConfiguration
        """
                .formatted(id)
            + String.join("\n", properties));
    List<String> java = java("-Xmx300m", "-cp", voldemort.classPathText());
    java.addAll(options);
    children.add(
        start(
            home.resolve("server.log"),
            java,
            List.of("voldemort.server.VoldemortServer", home.toString(), config.toString())));
  }

  private static List<String> java(String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    return command;
  }

  private static Process start(Path log, List<String> java, List<String> program)
      throws IOException {
    List<String> command = new ArrayList<>(java);
    command.addAll(program);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static void awaitListening(int port) {
    Awaitility.await("port " + port)
        .atMost(START_MAX)
        .ignoreExceptions()
        .until(
            () -> {
              try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
              }
            });
  }

  /** The first ports are the sockets', the others the admins'. */
  private static Cluster cluster(List<Integer> ports) {
    List<Node> nodes = new ArrayList<>();
    for (int id = 0; id < NODES; id++) {
      int admin = ports.get(NODES + id);
      nodes.add(
          new Node(
              id, "127.0.0.1", admin, ports.get(id), admin, 0, List.of(id, id + NODES, id + 6)));
    }
    return new Cluster("mixed", List.of(), nodes);
  }
}

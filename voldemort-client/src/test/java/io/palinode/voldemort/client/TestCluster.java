package io.palinode.voldemort.client;

import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three nodes, 0 to 2, of nine partitions, and the clients of a test. Closes all it opened. */
public final class TestCluster implements AutoCloseable {
  static final String R1W1 = "r1w1";
  static final String R2W2 = "r2w2";
  static final String R1W3 = "r1w3";
  static final String R3W1 = "r3w1";

  /** R = 1, but two or three are preferred. */
  static final String PREFERS_2_READS = "prefers2reads";

  static final String PREFERS_3_READS = "prefers3reads";

  /** W = 1, but three are preferred. */
  static final String PREFERS_3_WRITES = "prefers3writes";

  private static final int NODES = 3;
  private static final int PARTITIONS = 9;
  private static final List<StoreDefinition> STORES =
      List.of(
          StoreDefinition.of(R1W1, Persistence.MEMORY, 3, 1, 1),
          StoreDefinition.of(R2W2, Persistence.MEMORY, 3, 2, 2),
          StoreDefinition.of(R1W3, Persistence.MEMORY, 3, 1, 3),
          StoreDefinition.of(R3W1, Persistence.MEMORY, 3, 3, 1),
          preferring(PREFERS_2_READS, 2, 1),
          preferring(PREFERS_3_READS, 3, 1),
          preferring(PREFERS_3_WRITES, 1, 3));

  private static StoreDefinition preferring(String name, int reads, int writes) {
    return new StoreDefinition(name, Persistence.MEMORY, 3, 1, 1, reads, writes, List.of());
  }

  private final List<TestNode> nodes = new ArrayList<>();
  private final List<StoreClient> clients = new CopyOnWriteArrayList<>();
  private final Cluster cluster;

  public TestCluster() {
    Map<String, String> metadata = new ConcurrentHashMap<>();
    for (int id = 0; id < NODES; id++) {
      nodes.add(
          new TestNode(
              id,
              NODES,
              metadata,
              STORES.stream().map(StoreDefinition::name).collect(Collectors.toSet())));
    }
    cluster =
        new Cluster(
            "test",
            List.of(),
            nodes.stream()
                .map(n -> new Node(n.id(), "localhost", 0, n.port(), 0, 0, partitions(n.id())))
                .toList());
    metadata.put("cluster.xml", cluster.toXml());
    metadata.put("stores.xml", StoreDefinition.toXml(STORES));
    metadata.put("node.id", "0");
  }

  private static List<Integer> partitions(int node) {
    return IntStream.range(0, PARTITIONS).filter(p -> p % NODES == node).boxed().toList();
  }

  public TestNode node(int id) {
    return nodes.get(id);
  }

  void all(Consumer<TestNode> action) {
    nodes.forEach(action);
  }

  /** A whole rollback at once. */
  void rollBack(long epoch, long target) {
    all(node -> node.pause(epoch));
    all(node -> node.restore(target));
    all(node -> node.resume(0));
  }

  String address(int node) {
    return "localhost:" + nodes.get(node).port();
  }

  ClientConfig config() {
    return ClientConfig.of(List.of(address(0), address(1), address(2)), "c1")
        .withRequestTimeout(Duration.ofSeconds(20));
  }

  StoreClient client() {
    return client(config());
  }

  StoreClient client(ClientConfig config) {
    return client(config, System::currentTimeMillis);
  }

  StoreClient client(ClientConfig config, LongSupplier epochMillis) {
    StoreClient client = StoreClient.connect(config, epochMillis);
    clients.add(client);
    return client;
  }

  /** A key whose first replica is {@code node}; different ones for different {@code n}. */
  String keyOf(int node, int n) {
    Ring ring = new Ring(cluster, NODES);
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "key-" + i)
        .filter(key -> ring.preferenceList(key.getBytes(StandardCharsets.UTF_8)).get(0) == node)
        .skip(n)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    // Clients first: a call that a test left blocked must not hold up the nodes.
    clients.forEach(StoreClient::close);
    nodes.forEach(TestNode::release);
    nodes.forEach(TestNode::close);
  }
}

package io.palinode.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.detector.kafka.PatientProducer;
import io.palinode.hvc.Epsilon;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.store.restore.RestoreLimit;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * The store nodes of one cluster, in this process, each with its own folder and socket; watched or
 * not.
 */
public final class StoreCluster implements AutoCloseable {
  /** Partitions of the ring that each node has. */
  private static final int PARTITIONS_PER_NODE = 4;

  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final List<RestartableNode> nodes = new ArrayList<>();
  private final Parts parts = new Parts();
  private final Cluster layout;

  private StoreCluster(Cluster layout) {
    this.layout = layout;
  }

  /**
   * Opens, watches (when {@code watch} is given) and serves. A watched node serves nothing before
   * it has joined.
   *
   * @param ports one a node
   */
  public static StoreCluster start(
      List<Integer> ports,
      List<StoreDefinition> stores,
      Path data,
      Epsilon epsilon,
      @Nullable NodeDetectorConfig watch,
      MeterRegistry registry) {
    return start(ports, stores, data, null, node -> node, epsilon, watch, registry);
  }

  /**
   * Like the other.
   *
   * @param windowLogDisk of each node's window-log of each store; null: they are in memory only
   * @param adapted each node's configuration, from one with defaults
   */
  public static StoreCluster start(
      List<Integer> ports,
      List<StoreDefinition> stores,
      Path data,
      @Nullable DiskBound windowLogDisk,
      UnaryOperator<StoreNodeConfig> adapted,
      Epsilon epsilon,
      @Nullable NodeDetectorConfig watch,
      MeterRegistry registry) {
    return start(layout(ports), stores, data, windowLogDisk, adapted, epsilon, watch, registry);
  }

  /** Like the other, of a cluster with ids from 0 on, all of whose hosts are this machine's. */
  public static StoreCluster start(
      Cluster layout,
      List<StoreDefinition> stores,
      Path data,
      @Nullable DiskBound windowLogDisk,
      UnaryOperator<StoreNodeConfig> adapted,
      Epsilon epsilon,
      @Nullable NodeDetectorConfig watch,
      MeterRegistry registry) {
    StoreCluster cluster = new StoreCluster(layout);
    int size = layout.nodes().size();
    RestoreLimit shared = RestoreLimit.ofHeap(size);
    try {
      NodeDetectorConfig sharing = watch == null ? null : cluster.sharing(watch);
      for (int node = 0; node < size; node++) {
        StoreNodeConfig config =
            adapted.apply(
                WatchedNode.config(node, cluster.layout, stores, epsilon)
                    .with(settings -> settings.withRestores(shared)));
        cluster.nodes.add(
            cluster.parts.started(
                new RestartableNode(
                    node,
                    () -> WatchedNode.start(config, data, windowLogDisk, sharing, registry))));
      }
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** One producer for all nodes: it sends what they have at the same time in one request. */
  private NodeDetectorConfig sharing(NodeDetectorConfig watch) {
    Producer<byte[], byte[]> candidates =
        PatientProducer.create(watch.kafka(), "palinode-nodes-candidates");
    AutoCloseable closing = () -> candidates.close(CLOSE_MAX);
    parts.started(closing);
    return watch.withProducer(candidates);
  }

  /** {@code host:port} of each node, to bootstrap from. */
  public List<String> addresses() {
    return addresses(layout);
  }

  /** {@code host:port} of each node. */
  public static List<String> addresses(Cluster layout) {
    return layout.nodes().stream().map(node -> node.host() + ":" + node.socketPort()).toList();
  }

  public StoreNode node(int index) {
    return nodes.get(index).current().node();
  }

  List<RestartableNode> watchedNodes() {
    return List.copyOf(nodes);
  }

  public int size() {
    return nodes.size();
  }

  @Override
  public void close() {
    parts.close();
  }

  /** Nodes on these ports of the loopback address, with partitions alike. */
  public static Cluster layout(List<Integer> ports) {
    List<Node> nodes =
        IntStream.range(0, ports.size())
            .mapToObj(i -> node(i, ports.get(i), ports.size()))
            .toList();
    return new Cluster("palinode", List.of(), nodes);
  }

  private static Node node(int id, int port, int nodes) {
    List<Integer> partitions =
        IntStream.range(0, PARTITIONS_PER_NODE).map(i -> i * nodes + id).boxed().toList();
    return new Node(id, "127.0.0.1", port, port, port, 0, partitions);
  }
}

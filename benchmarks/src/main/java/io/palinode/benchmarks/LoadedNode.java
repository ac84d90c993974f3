package io.palinode.benchmarks;

import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.bdb.BdbEngine;
import io.palinode.voldemort.bdb.DataFolder;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.server.StoreService;
import io.palinode.voldemort.server.StoreServiceConfig;
import io.palinode.voldemort.server.SystemMicros;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Store nodes on disk that have keys when they open: every node has the same version of each. */
final class LoadedNode {
  static final String STORE = "default";
  private static final int BATCH = 1_000;

  private LoadedNode() {}

  /** Of nodes at free ports of the loopback address. */
  static Cluster cluster(int size) {
    List<Node> nodes = new ArrayList<>();
    List<ServerSocket> reserved = new ArrayList<>();
    try {
      for (int i = 0; i < size; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        reserved.add(socket);
        int port = socket.getLocalPort();
        nodes.add(new Node(i, "127.0.0.1", port, port, port, 0, List.of(i, i + size)));
      }
      for (ServerSocket socket : reserved) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no free port on the loopback address", e);
    }
    return new Cluster("bench", List.of(), nodes);
  }

  /** A node of {@link #STORE}, of which all nodes have all keys. */
  static StoreNodeConfig config(int node, Cluster cluster) {
    int nodes = cluster.nodes().size();
    return StoreNodeConfig.of(
        node, cluster, List.of(StoreDefinition.of(STORE, Persistence.BDB, nodes, 1, 1)));
  }

  /** Opened, not started. */
  static StoreService open(StoreNodeConfig config, Path data, int keys, int valueBytes) {
    return open(config, data, keys, valueBytes, new SystemMicros());
  }

  /** The same, of which {@code epochMicros} is the clock. */
  static StoreService open(
      StoreNodeConfig config, Path data, int keys, int valueBytes, LongSupplier epochMicros) {
    try (DataFolder folder = DataFolder.open(data, config.nodeId(), config.nodes());
        StorageEngine engine = BdbEngine.open(folder.bdb(), List.of(STORE), BdbConfig.DEFAULT)) {
      fill(engine, keys, valueBytes);
    }
    return StoreService.open(StoreServiceConfig.of(config, data), epochMicros);
  }

  private static void fill(StorageEngine engine, int keys, int valueBytes) {
    VectorClock clock = VectorClock.EMPTY.incremented(0, 1);
    byte[] record = Siblings.encode(List.of(Versioned.ofText("x".repeat(valueBytes), clock)));
    List<Change> batch = new ArrayList<>(BATCH);
    for (int i = 0; i < keys; i++) {
      byte[] key = StoreLoad.key(i).getBytes(StandardCharsets.UTF_8);
      batch.add(new Change(STORE, key, record));
      if (batch.size() == BATCH || i == keys - 1) {
        engine.commit(batch, Durability.BUFFERED);
        batch.clear();
      }
    }
  }
}

package io.palinode.voldemort;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.bdb.BdbEngine;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Small clusters, keys and versions for the tests of this module. */
public final class TestNodes {
  /** Bound, not listening, so that a node can listen there. */
  private static final List<Socket> HELD = new ArrayList<>();

  /** All nodes hold every key. */
  public static final String EVERYWHERE = "everywhere";

  /** One node holds a key. */
  public static final String ONCE = "once";

  public static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  private TestNodes() {}

  /** Where a test's records lie. */
  public enum Medium {
    MEMORY,
    BDB;

    public StorageEngine open(Path folder, List<String> stores) {
      if (this == MEMORY) {
        return new MemoryEngine(stores);
      }
      try {
        return BdbEngine.open(Files.createDirectories(folder), stores, BdbConfig.DEFAULT);
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    /** An engine for a node of {@link #config}. */
    public StorageEngine open(Path folder) {
      return open(folder, List.of(EVERYWHERE, ONCE, NodeMeta.STORE));
    }
  }

  public static Cluster cluster(int nodes) {
    return new Cluster(
        "test",
        List.of(),
        IntStream.range(0, nodes)
            .mapToObj(i -> new Node(i, "127.0.0.1", 0, 0, 0, 0, List.of(i, i + nodes)))
            .toList());
  }

  /** One whose nodes can be started: their ports are free. */
  public static Cluster listening(int nodes) throws IOException {
    List<Integer> ports = freePorts(nodes);
    return new Cluster(
        "test",
        List.of(),
        cluster(nodes).nodes().stream()
            .map(n -> new Node(n.id(), n.host(), 0, ports.get(n.id()), 0, 0, n.partitions()))
            .toList());
  }

  /** Held for this process: the system gives them to no connection before a node listens. */
  public static synchronized List<Integer> freePorts(int count) throws IOException {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Socket held = new Socket();
      held.setReuseAddress(true);
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      HELD.add(held);
      ports.add(held.getLocalPort());
    }
    return ports;
  }

  public static List<StoreDefinition> stores(int nodes, Persistence persistence) {
    return List.of(
        StoreDefinition.of(EVERYWHERE, persistence, nodes, 1, 1),
        StoreDefinition.of(ONCE, persistence, 1, 1, 1));
  }

  /** Node 0 of three. */
  public static StoreNodeConfig config() {
    return StoreNodeConfig.of(0, cluster(3), stores(3, Persistence.BDB));
  }

  public static AtomicLong clock() {
    return new AtomicLong(EPOCH_MICROS);
  }

  public static StoreNode inMemory(AtomicLong epochMicros) {
    return new StoreNode(config(), Medium.MEMORY.open(Path.of("unused")), epochMicros::get);
  }

  public static StoreKey key(String key) {
    return new StoreKey(EVERYWHERE, bytes(key));
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A value with the clock of {@code counters}, by node. */
  public static Versioned version(String value, long... counters) {
    return Versioned.ofText(value, vector(counters));
  }

  public static VectorClock vector(long... counters) {
    TreeMap<Integer, Long> entries = new TreeMap<>();
    for (int i = 0; i < counters.length; i++) {
      if (counters[i] > 0) {
        entries.put(i, counters[i]);
      }
    }
    return VectorClock.of(entries, 0);
  }

  /** Keys of {@link #ONCE} that live on {@code node}. */
  public static StoreKey keyOn(int node) {
    var ring = new io.palinode.voldemort.cluster.Ring(cluster(3), 1);
    for (int i = 0; ; i++) {
      byte[] key = bytes("k" + i);
      if (ring.preferenceList(key).get(0) == node) {
        return new StoreKey(ONCE, key);
      }
    }
  }

  public static List<String> texts(List<Versioned> versions) {
    return versions.stream().map(Versioned::text).sorted().toList();
  }

  /** Every key that is not absent, with its versions in the order of its record. */
  public static Map<StoreKey, List<Versioned>> stateOf(StoreNode node) {
    List<StoreKey> keys = new ArrayList<>();
    node.scan((key, siblings) -> keys.add(key));
    Map<StoreKey, List<Versioned>> state = new HashMap<>();
    node.read(keys).forEach(record -> state.put(record.key(), Siblings.decode(record.siblings())));
    return state;
  }

  public static void copyFolder(Path from, Path to) throws IOException {
    List<Path> files = new ArrayList<>();
    try (var found = Files.list(from)) {
      found.filter(Files::isRegularFile).forEach(files::add);
    }
    Files.createDirectories(to);
    for (Path file : files) {
      Files.copy(file, to.resolve(file.getFileName().toString()));
    }
  }
}

package io.palinode.hazelcast;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.NearCacheConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.recordstore.RecordStore;
import com.hazelcast.spi.impl.NodeEngine;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hazelcast.boot.Hooks;
import io.palinode.hazelcast.boot.Listener;
import io.palinode.hazelcast.member.MemberConfig;
import io.palinode.hazelcast.member.WatchedMember;
import io.palinode.hazelcast.node.MemberNode;
import io.palinode.hazelcast.record.EntryKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Real members in this process, whose Kafka does not answer. For one test at a time. */
final class HookedCluster implements AutoCloseable {
  static final Duration BOUND = Duration.ofSeconds(30);
  static final String OBJECTS = "objects";

  /** Has near caches. */
  static final String NEAR = "near";

  static final int PARTITIONS = 11;
  static final String ABSENT = "-";

  static {
    // Before a class of Hazelcast is loaded.
    Woven.require();
  }

  /** Bound, not listening: a member can listen there, and no connection takes the port. */
  private final List<Socket> held = new ArrayList<>();

  private final List<Integer> ports = new ArrayList<>();
  private final List<HazelcastInstance> instances = new ArrayList<>();
  private final Members members;

  /**
   * @param most how many members it may have
   */
  HookedCluster(Path folder, int most) throws IOException {
    for (int i = 0; i < most; i++) {
      Socket socket = new Socket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      held.add(socket);
      ports.add(socket.getLocalPort());
    }
    String yaml =
        "kafka: 127.0.0.1:9\ndata: %s\nmembers: %s\njoinTimeout: 1ms\nwindowLogBytes: 16MiB\n"
            .formatted(
                folder, String.join(",", ports.stream().map(port -> "127.0.0.1:" + port).toList()));
    members = new Members(MemberConfig.parse("agent.yaml", yaml), new SimpleMeterRegistry());
    Hooks.listen(members);
  }

  HazelcastInstance start(int node) {
    HazelcastInstance started = Hazelcast.newHazelcastInstance(config(node));
    instances.add(started);
    return started;
  }

  int port(int node) {
    return ports.get(node);
  }

  /** Replaces the agent of members that start, and of those that run. */
  void alter(UnaryOperator<Listener> altered) {
    Hooks.listen(altered.apply(members));
  }

  Config config(int node) {
    Config config = new Config();
    config.setClusterName("palinode-" + ports.get(0));
    config
        .setProperty("hazelcast.partition.count", Integer.toString(PARTITIONS))
        .setProperty("hazelcast.logging.type", "none")
        // So that Hazelcast itself evicts no entry whose time has ended.
        .setProperty("hazelcast.internal.map.expiration.task.period.seconds", "3600")
        .setProperty("hazelcast.map.invalidation.batch.enabled", "false")
        .setProperty("hazelcast.phone.home.enabled", "false")
        .setProperty("hazelcast.shutdownhook.enabled", "false")
        .setProperty("hazelcast.wait.seconds.before.join", "0")
        .setProperty("hazelcast.socket.bind.any", "false");
    config
        .getMapConfig(NEAR)
        .setNearCacheConfig(new NearCacheConfig().setInMemoryFormat(InMemoryFormat.OBJECT));
    config.getMapConfig(OBJECTS).setInMemoryFormat(InMemoryFormat.OBJECT);
    config
        .getNetworkConfig()
        .setPort(ports.get(node))
        .setPortAutoIncrement(false)
        .getInterfaces()
        .setEnabled(true)
        .addInterface("127.0.0.1");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true);
    ports.forEach(
        port ->
            config.getNetworkConfig().getJoin().getTcpIpConfig().addMember("127.0.0.1:" + port));
    return config;
  }

  void awaitSafe() {
    await()
        .atMost(BOUND)
        .until(
            () ->
                instances.stream()
                    .filter(each -> each.getLifecycleService().isRunning())
                    .allMatch(each -> each.getPartitionService().isClusterSafe()));
  }

  WatchedMember member(int node) {
    return members.all().stream().filter(each -> each.number() == node).findFirst().orElseThrow();
  }

  MemberNode node(int node) {
    return member(node).node();
  }

  /** What a member holds of a map as owner and as backup, read from its stores. */
  Map<Object, Object> held(int node, String map) {
    NodeEngine engine = member(node).hazelcast().getNodeEngine();
    MapService service = engine.getService(MapService.SERVICE_NAME);
    Map<Object, Object> held = new HashMap<>();
    for (int i = 0; i < engine.getPartitionService().getPartitionCount(); i++) {
      RecordStore<?> store =
          service.getMapServiceContext().getPartitionContainer(i).getExistingRecordStore(map);
      if (store != null) {
        store.forEach(
            (key, entry) -> held.put(engine.toObject(key), engine.toObject(entry.getValue())),
            true,
            true);
      }
    }
    return held;
  }

  /** The page {@code /past}. */
  String past(String query) throws IOException {
    return Objects.requireNonNull(new MemberPages("test", members).all().get("/past")).json(query);
  }

  static StoreKey key(String map, String key) {
    return EntryKeys.of(map, key);
  }

  /** The values that changes of a key have replaced at a node, in order. */
  List<String> replaced(int node, String map, String key) {
    List<String> replaced = new ArrayList<>();
    boolean isWhole =
        node(node)
            .visitChanges(
                node(node).reach(),
                key(map, key)::equals,
                (hlc, changed, before) -> replaced.add(text(before)));
    if (!isWhole) {
      throw new IllegalStateException("not in reach");
    }
    return replaced;
  }

  /** When a node has stamped the last change of a key. */
  long stamp(int node, String map, String key) {
    AtomicLong last = new AtomicLong();
    await()
        .atMost(BOUND)
        .until(
            () ->
                node(node)
                        .visitChanges(
                            node(node).reach(),
                            key(map, key)::equals,
                            (hlc, changed, before) -> last.set(hlc))
                    && last.get() > 0);
    return last.get();
  }

  /** What a node passes on as the present of a key. */
  String passed(int node, String map, String key) {
    return text(node(node).siblings(key(map, key)));
  }

  /** What a node passes on of a key from now on, in order; its detector receives nothing more. */
  List<String> announced(int node, String map, String key) {
    List<String> announced = new CopyOnWriteArrayList<>();
    node(node)
        .listen(
            event -> {
              if (event.key().equals(key(map, key))) {
                announced.add(text(event.siblings()));
              }
            });
    return announced;
  }

  private static String text(List<Version> versions) {
    return versions.isEmpty() ? ABSENT : new String(versions.get(0).value(), UTF_8);
  }

  @Override
  public void close() throws IOException {
    instances.forEach(each -> each.getLifecycleService().terminate());
    for (Socket socket : held) {
      socket.close();
    }
    Hooks.listen(null);
  }
}

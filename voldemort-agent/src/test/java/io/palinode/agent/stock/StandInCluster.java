package io.palinode.agent.stock;

import io.palinode.agent.boot.Hooks;
import io.palinode.agent.engine.EngineHooks;
import io.palinode.agent.engine.StandInMessages;
import io.palinode.agent.stock.StockEngine.Kind;
import io.palinode.agent.weave.Weaver;
import io.palinode.agent.weave.WeavingLoader;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.conformance.KitNode;
import io.palinode.store.conformance.KitSite;
import io.palinode.store.conformance.KitStore;
import io.palinode.store.conformance.KitWrite;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.past.RecordRules;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Stand-ins for stock servers, woven, for the conformance kit. An engine outlives its server's
 * process; the window-log does not. Each write has a unique counter.
 */
public final class StandInCluster implements KitStore {
  private static final String BDB = "voldemort.store.bdb.BdbStorageEngine";
  private static final StockTypes TYPES = new StockTypes(new WeavingLoader(Weaver.ofServer()));

  private final Path folder;
  private final Function<StoreNode, StoreBinding> bindings;
  private final Map<Integer, Object> engines = new HashMap<>();
  private final AtomicLong writes = new AtomicLong();

  public StandInCluster(Path folder, Function<StoreNode, StoreBinding> bindings) {
    this.folder = folder;
    this.bindings = bindings;
  }

  @Override
  public RecordRules rules() {
    return VoldemortRules.INSTANCE;
  }

  @Override
  public StoreKey key(int number) {
    return new StoreKey("disk", ("key" + number).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public KitNode open(KitSite site) {
    Object engine =
        engines.computeIfAbsent(
            site.node(),
            node -> StockTypes.call(TYPES.constructor(TYPES.type(BDB), String.class), "disk"));
    return new Server(site, engine, folder.resolve("node" + site.node()), bindings);
  }

  /** A client that has read all that was found, some of it, or nothing. */
  @Override
  public KitWrite write(StoreKey key, List<Version> found, int first, Random random) {
    VectorClock seen = VectorClock.EMPTY;
    for (Version version : found) {
      if (random.nextInt(4) > 0) {
        seen = seen.merge(VoldemortRules.versioned(version).clock());
      }
    }
    if (!seen.isEmpty() && random.nextInt(3) == 0) {
      return KitWrite.delete(key, seen.encode(), first);
    }
    long number = writes.incrementAndGet();
    TreeMap<Integer, Long> entries = new TreeMap<>(seen.entries());
    entries.put(first, number);
    Versioned added = Versioned.ofText("v" + number, VectorClock.of(entries, number / 2));
    return KitWrite.put(key, VoldemortRules.version(added), first);
  }

  private static StoreNodeConfig config(KitSite site) {
    List<Node> nodes =
        IntStream.range(0, site.nodes())
            .mapToObj(id -> new Node(id, "localhost", 1, 2, 3, 0, List.of(id)))
            .toList();
    Cluster cluster = new Cluster("test", List.of(), nodes);
    List<StoreDefinition> stores =
        List.of(StoreDefinition.of("disk", Persistence.BDB, site.nodes(), 1, 1));
    return StoreNodeConfig.of(site.node(), cluster, stores).with(ours -> site.settings());
  }

  /** One incarnation of a server. */
  private static final class Server implements KitNode {
    private final Fuse fuse = new Fuse("", 1, () -> {}, () -> {});
    private final Object engine;
    private final StoreNode node;
    private final StoreBinding binding;
    private final EngineHooks hooks;

    Server(KitSite site, Object engine, Path folder, Function<StoreNode, StoreBinding> bindings) {
      this.engine = engine;
      OwnCalls own = new OwnCalls();
      AtomicReference<@Nullable StoreNode> opened = new AtomicReference<>();
      List<StockEngine> engines =
          List.of(
              new StockEngine(
                  TYPES,
                  StockEngine.Calls.of(TYPES),
                  "disk",
                  engine,
                  Kind.BDB,
                  () -> isAlone(opened)));
      Hooks.listen(null);
      StorageEngine ours = new StockEngines(engines, new MetaFiles(folder), own);
      node = new StoreNode(config(site), site.medium().apply(ours), site.epochMicros());
      opened.set(node);
      binding = bindings.apply(node);
      hooks =
          new EngineHooks(
              node,
              new WatchedEngines(TYPES, engines, own, null),
              StandInMessages.piggyBack(node, TYPES),
              fuse);
    }

    private static boolean isAlone(AtomicReference<@Nullable StoreNode> opened) {
      StoreNode node = opened.get();
      return node != null && node.hosted().isAlone();
    }

    @Override
    public StoreBinding binding() {
      return binding;
    }

    @Override
    public void write(KitWrite write) {
      // One listener serves the process; each server has its turn.
      Hooks.listen(hooks);
      StandInServer.asked(
          RequestContext.newBuilder().setClient("c").setOrigin(write.first()).build());
      try {
        call(write);
      } catch (RuntimeException e) {
        if (!"obsolete".equals(e.getMessage())) {
          throw e;
        }
      }
      if (fuse.failures() > 0) {
        throw new IllegalStateException("the agent failed: " + fuse.first());
      }
    }

    private void call(KitWrite write) {
      Object key = TYPES.key(write.key().key());
      Version added = write.added();
      if (added != null) {
        Versioned version = VoldemortRules.versioned(added);
        Object unused =
            StandInServer.call(
                engine, "put", key, TYPES.versioned(version.value(), version.clock()), null);
      } else {
        Object upTo =
            StockTypes.call(
                TYPES.constructor(TYPES.type("voldemort.versioning.VectorClock"), byte[].class),
                (Object) Objects.requireNonNull(write.mark()));
        Object unused = StandInServer.call(engine, "delete", key, upTo);
      }
    }

    @Override
    public void close() {
      Hooks.listen(null);
      node.close();
    }

    @Override
    public void kill() {
      Hooks.listen(null);
    }
  }
}

package io.palinode.agent.stock;

import com.google.protobuf.UnknownFieldSet;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.engine.EngineHooks;
import io.palinode.agent.engine.StandInMessages;
import io.palinode.agent.stock.StockEngine.Kind;
import io.palinode.agent.weave.Weaver;
import io.palinode.agent.weave.WeavingLoader;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A disk engine "disk" and a memory engine "memory" of a stand-in for a server, woven, and the node
 * that observes them. Its clock is one microsecond later at each look.
 */
public final class StandInServer implements AutoCloseable {
  private static final int FAILURES_MAX = 3;
  private static final String BDB = "voldemort.store.bdb.BdbStorageEngine";
  private static final String MEMORY = "voldemort.store.memory.InMemoryStorageEngine";

  /** What rides along. */
  private static final int FIELD = 1000;

  public final List<WriteEvent> events = Collections.synchronizedList(new ArrayList<>());
  public final StoreNode node;
  public final Fuse fuse = new Fuse("", FAILURES_MAX, () -> this.reportFailure.run(), () -> {});
  public final StockTypes types;
  public final OwnCalls own = new OwnCalls();
  public final Hints hints;
  private final Object disk;
  private final Object memory;
  private final Object slop;
  private Runnable reportFailure = () -> {};

  public StandInServer(Path folder) {
    this(folder, false);
  }

  /**
   * @param hintsInMemory with {@code slop.store.engine=memory}
   */
  public StandInServer(Path folder, boolean hintsInMemory) {
    WeavingLoader loader = new WeavingLoader(Weaver.ofServer());
    types = new StockTypes(loader);
    disk = engine(BDB, "disk");
    memory = engine(MEMORY, "memory");
    slop = engine(hintsInMemory ? MEMORY : BDB, "slop");
    AtomicReference<@Nullable StoreNode> opened = new AtomicReference<>();
    StockEngine.Calls calls = StockEngine.Calls.of(types);
    List<StockEngine> engines =
        List.of(
            new StockEngine(types, calls, "disk", disk, Kind.BDB, () -> isAlone(opened)),
            new StockEngine(types, calls, "memory", memory, Kind.MEMORY, () -> isAlone(opened)));
    AtomicLong micros = new AtomicLong(1_000_000);
    node =
        new StoreNode(
            config(),
            new StockEngines(engines, new MetaFiles(folder), own),
            micros::incrementAndGet);
    opened.set(node);
    node.listen(events::add);
    Object slops =
        StockTypes.call(
            types.constructor(
                types.type("voldemort.store.slop.SlopStorageEngine"),
                types.type("voldemort.store.StorageEngine")),
            slop);
    hints = new Hints(types, slops, Set.of("disk", "memory"), own);
    Hooks.listen(
        new EngineHooks(
            node,
            new WatchedEngines(types, engines, own, Hints.engineOf(slops)),
            StandInMessages.piggyBack(node, types),
            fuse));
  }

  public StoreNodeConfig config() {
    return StoreNodeConfig.of(0, cluster(), stores());
  }

  private static boolean isAlone(AtomicReference<@Nullable StoreNode> opened) {
    StoreNode node = opened.get();
    return node != null && node.hosted().isAlone();
  }

  private Object engine(String type, String name) {
    return StockTypes.call(types.constructor(types.type(type), String.class), name);
  }

  private static Cluster cluster() {
    Node only = new Node(0, "localhost", 1, 2, 3, 0, List.of(0));
    return new Cluster("test", List.of(), List.of(only));
  }

  private static List<StoreDefinition> stores() {
    return List.of(
        StoreDefinition.of("disk", Persistence.BDB, 1, 1, 1),
        StoreDefinition.of("memory", Persistence.MEMORY, 1, 1, 1));
  }

  /** The clock of {@code counters}: node, counter, node, counter, … */
  public static VectorClock clock(long... counters) {
    TreeMap<Integer, Long> entries = new TreeMap<>();
    for (int i = 0; i < counters.length; i += 2) {
      entries.put((int) counters[i], counters[i + 1]);
    }
    return VectorClock.of(entries, 7);
  }

  public void put(String store, String key, String value, VectorClock clock) {
    Object unused = call(store, "put", key(key), versioned(value, clock), null);
  }

  public void putAll(String store, String key, String value, VectorClock clock) {
    Object unused =
        call(store, "multiVersionPut", key(key), new ArrayList<>(List.of(versioned(value, clock))));
  }

  /** Without a clock: all versions. */
  public boolean delete(String store, String key, @Nullable VectorClock upTo) {
    Object version =
        upTo == null
            ? null
            : StockTypes.call(
                types.constructor(types.type("voldemort.versioning.VectorClock"), byte[].class),
                (Object) upTo.encode());
    return (boolean) call(store, "delete", key(key), version);
  }

  /**
   * What this thread asks for is from now on asked by a client of ours that is in {@code epoch}.
   */
  public void askedIn(long epoch) {
    askedWith(RequestContext.newBuilder().setClient("c").setEpoch(epoch).build());
  }

  /** What this thread asks for from now on comes with {@code context}. */
  public void askedWith(RequestContext context) {
    asked(context);
  }

  /** Like {@link #askedWith}, of the server whose hooks listen. */
  public static void asked(RequestContext context) {
    UnknownFieldSet.Field field =
        UnknownFieldSet.Field.newBuilder().addLengthDelimited(context.toByteString()).build();
    Hooks.received(
        Pb0.Error.newBuilder()
            .setUnknownFields(UnknownFieldSet.newBuilder().addField(FIELD, field).build()));
  }

  /** As a client does that could not reach a node. */
  public void hint(String key, String store, long arrivedMillis) {
    put("slop", key, store + " " + arrivedMillis, clock(0, 1));
  }

  /** Sets the report of later failures of the agent. */
  public void reportsFailures(Runnable report) {
    reportFailure = report;
  }

  public void remove(String store) {
    Hooks.storeRemoved(engineOf(store));
  }

  public void truncate(String store) {
    Object unused = call(store, "truncate");
  }

  public void failCommits(boolean fail) {
    Object unused = call("disk", "failCommits", fail);
  }

  /** Runs once, between telling and committing the first version of a key on disk. */
  public void beforeFirstCommit(Runnable action) {
    Object unused = call("disk", "beforeFirstCommit", action);
  }

  /** The lock of a record. */
  public Object lock(String key) {
    return call("disk", "getAndLock", key(key));
  }

  public void release(Object lock) {
    Object unused = call("disk", "releaseLock", lock);
  }

  public void putAndUnlock(String key, Object lock) {
    Object unused = call("disk", "putAndUnlock", key(key), lock);
  }

  /** Locks a record and lets it go, unchanged. */
  public void lockAndRelease(String key) {
    Object handle = call("disk", "getAndLock", key(key));
    Object unused = call("disk", "releaseLock", handle);
  }

  public List<String> get(String store, String key) {
    List<?> found = (List<?>) call(store, "get", key(key), null);
    byte[] record = types.record(found);
    return record == null
        ? List.of()
        : Siblings.decode(record).stream().map(Versioned::text).toList();
  }

  /** The last event of a key. */
  public List<String> passedOn(String key) {
    synchronized (events) {
      for (int i = events.size() - 1; i >= 0; i--) {
        WriteEvent event = events.get(i);
        if (Arrays.equals(event.key().key(), key.getBytes(StandardCharsets.UTF_8))) {
          return texts(event);
        }
      }
    }
    return List.of();
  }

  public static List<String> texts(WriteEvent event) {
    return event.siblings().stream()
        .map(each -> new String(each.value(), StandardCharsets.UTF_8))
        .toList();
  }

  private Object key(String text) {
    return types.key(text.getBytes(StandardCharsets.UTF_8));
  }

  private Object versioned(String value, VectorClock clock) {
    return types.versioned(value.getBytes(StandardCharsets.UTF_8), clock);
  }

  private Object engineOf(String store) {
    return switch (store) {
      case "disk" -> disk;
      case "slop" -> slop;
      default -> memory;
    };
  }

  private Object call(String store, String method, @Nullable Object... arguments) {
    return call(engineOf(store), method, arguments);
  }

  /** Calls a woven method of an engine. Throws what it throws. */
  public static Object call(Object engine, String method, @Nullable Object... arguments) {
    try {
      for (Method each : engine.getClass().getMethods()) {
        if (each.getName().equals(method)
            && !each.isBridge()
            && each.getParameterCount() == arguments.length) {
          return each.invoke(engine, arguments);
        }
      }
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException thrown) {
        throw thrown;
      }
      throw new IllegalStateException(e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalArgumentException("an engine has no method " + method);
  }

  @Override
  public void close() {
    Hooks.listen(null);
    node.close();
  }
}

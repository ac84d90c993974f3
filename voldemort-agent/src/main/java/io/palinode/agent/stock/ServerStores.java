package io.palinode.agent.stock;

import io.palinode.agent.stock.StockEngine.Kind;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server's node id, cluster and stores. */
public final class ServerStores {
  private static final Logger log = LoggerFactory.getLogger(ServerStores.class);
  private static final String BDB = "voldemort.store.bdb.BdbStorageEngine";
  private static final String MEMORY = "voldemort.store.memory.InMemoryStorageEngine";

  private final StockTypes types;
  private final Object repository;
  private final Object metadata;
  private final int nodeId;
  private final Cluster cluster;
  private final List<StoreDefinition> definitions = new ArrayList<>();
  private final List<String> unwatched = new ArrayList<>();

  /** Reads the server's {@code StorageService} after its start. */
  public ServerStores(Object storageService) {
    types = new StockTypes(storageService.getClass().getClassLoader());
    repository = StockTypes.field(storageService, "storeRepository");
    metadata = StockTypes.field(storageService, "metadata");
    nodeId = (int) ask(metadata, "getNodeId", int.class);
    Class<?> clusterType = types.type("voldemort.cluster.Cluster");
    Class<?> mapper = types.type("voldemort.xml.ClusterMapper");
    Object xml =
        StockTypes.call(
            types.method(mapper, "writeCluster", String.class, clusterType),
            StockTypes.call(types.constructor(mapper)),
            ask(metadata, "getCluster", clusterType));
    cluster = Cluster.parse("the server's cluster.xml", (String) xml);
    for (Object definition : (List<?>) ask(metadata, "getStoreDefList", List.class)) {
      add(definition);
    }
  }

  private void add(Object definition) {
    String name = (String) ask(definition, "getName", String.class);
    String type = (String) ask(definition, "getType", String.class);
    String routing = (String) ask(definition, "getRoutingStrategyType", String.class);
    boolean isKnown = type.equals("bdb") || type.equals("memory");
    if (!isKnown || !routing.equals("consistent-routing") || kind(engine(name)) == null) {
      unwatched.add(name);
      log.warn("store={} persistence={} routing={} state=UNWATCHED", name, type, routing);
      return;
    }
    definitions.add(
        StoreDefinition.of(
            name,
            type.equals("memory") ? Persistence.MEMORY : Persistence.BDB,
            (int) ask(definition, "getReplicationFactor", int.class),
            (int) ask(definition, "getRequiredReads", int.class),
            (int) ask(definition, "getRequiredWrites", int.class)));
  }

  private Object ask(Object of, String method, Class<?> result) {
    return StockTypes.call(types.method(of.getClass(), method, result), of);
  }

  /** The engine of a store; null if there is none, as while the server deletes the store. */
  private @Nullable Object engine(String store) {
    Class<?> type = types.type("voldemort.store.StorageEngine");
    return StockTypes.call(
        types.method(repository.getClass(), "getStorageEngine", type, String.class),
        repository,
        store);
  }

  private @Nullable Kind kind(@Nullable Object engine) {
    if (types.type(BDB).isInstance(engine)) {
      boolean prefixed = (boolean) ask(engine, "isPartitionScanSupported", boolean.class);
      return prefixed ? Kind.BDB_PREFIXED : Kind.BDB;
    }
    return types.type(MEMORY).isInstance(engine) ? Kind.MEMORY : null;
  }

  public StockTypes types() {
    return types;
  }

  public int nodeId() {
    return nodeId;
  }

  public Cluster cluster() {
    return cluster;
  }

  /** The stores that can be watched. */
  public List<StoreDefinition> definitions() {
    return List.copyOf(definitions);
  }

  /** The engine of each store that the server has now, by the store's name. */
  public Map<String, Object> enginesNow() {
    Map<String, Object> now = new HashMap<>();
    for (Object definition : (List<?>) ask(metadata, "getStoreDefList", List.class)) {
      String name = (String) ask(definition, "getName", String.class);
      Object engine = engine(name);
      if (engine != null) {
        now.put(name, engine);
      }
    }
    return now;
  }

  /** The names of the stores that cannot be watched. */
  public List<String> unwatched() {
    return List.copyOf(unwatched);
  }

  /**
   * The engines of {@link #definitions}.
   *
   * @param alone whether this thread excludes all writes
   */
  public List<StockEngine> engines(BooleanSupplier alone) {
    StockEngine.Calls calls = StockEngine.Calls.of(types);
    List<StockEngine> engines = new ArrayList<>();
    for (StoreDefinition definition : definitions) {
      Object engine = engine(definition.name());
      Kind kind = kind(engine);
      if (engine != null && kind != null) {
        engines.add(new StockEngine(types, calls, definition.name(), engine, kind, alone));
      }
    }
    return engines;
  }

  /** The server's engine of hints; null if it keeps none. */
  public @Nullable Object slopEngine() {
    return (boolean) ask(repository, "hasSlopStore", boolean.class)
        ? StockTypes.field(repository, "slopStore")
        : null;
  }
}

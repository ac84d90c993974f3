package io.palinode.voldemort;

import io.palinode.detector.StoreKey;
import io.palinode.retroscope.WindowLog;
import io.palinode.voldemort.StorageEngine.Change;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The stores of one node: their records, in one engine, and the past of each. */
final class NodeStores {
  /** The list of deletes takes at most this part of a window-log's bytes, besides those. */
  private static final int DELETES_PART = 4;

  private final StoreNodeConfig config;
  private final StorageEngine engine;
  private final Map<String, LocalStore> byName = new LinkedHashMap<>();

  /**
   * @param openedAt when the incarnation began; without a past, no earlier or later time is in
   *     reach
   */
  NodeStores(
      StoreNodeConfig config,
      StorageEngine engine,
      DiskLogs logs,
      long openedAt,
      NodeCounters counters) {
    this.config = config;
    this.engine = engine;
    long from = config.keepsPast() ? openedAt : Long.MAX_VALUE;
    for (StoreDefinition store : config.stores()) {
      Ring ring = new Ring(config.cluster(), store.replicationFactor());
      WindowLog past = logs.past(store.name(), config.windowLog(), from);
      Deletes deletes =
          new Deletes(
              config.windowLog().bytesMax() / DELETES_PART,
              () -> counters.add(NodeCounter.DELETES_FORGOTTEN),
              logs.deletes(store.name(), openedAt));
      byName.put(store.name(), new LocalStore(store.name(), ring, past, deletes));
    }
  }

  int node() {
    return config.nodeId();
  }

  StorageEngine engine() {
    return engine;
  }

  Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  Collection<LocalStore> all() {
    return Collections.unmodifiableCollection(byName.values());
  }

  @Nullable LocalStore find(String name) {
    return byName.get(name);
  }

  /** A store that the node has. */
  LocalStore of(StoreKey key) {
    return Objects.requireNonNull(byName.get(key.store()), key.store());
  }

  /** Throws {@link IllegalArgumentException} for a store that the node does not have. */
  LocalStore named(String name) {
    LocalStore found = byName.get(name);
    if (found == null) {
      throw new IllegalArgumentException("a store must be one of " + byName.keySet() + ": " + name);
    }
    return found;
  }

  byte @Nullable [] record(StoreKey key) {
    return engine.get(key.store(), key.key());
  }

  /** Commits the change of one write, with the durability of writes. */
  void commit(Change change) {
    engine.commit(List.of(change), config.writes());
  }

  /** The replicas of a key, in ascending order; empty if the node does not have its store. */
  List<Integer> replicas(StoreKey key) {
    LocalStore store = byName.get(key.store());
    return store == null
        ? List.of()
        : store.ring().preferenceList(key.key()).stream().sorted().toList();
  }

  /** Ends the logs of all stores. All records must be on the medium. */
  void closeLogs() {
    byName.values().forEach(LocalStore::close);
  }
}

package io.palinode.store.past;

import io.palinode.detector.binding.StoreKey;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageEngine.Durability;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The stores of one node: their records, in one engine, and the past of each. */
public final class NodeStores {
  private final int node;
  private final StorageEngine engine;
  private final Durability writes;
  private final Map<String, LocalStore> byName = new LinkedHashMap<>();

  /**
   * @param writes the durability of an acknowledged write
   */
  public NodeStores(int node, StorageEngine engine, Durability writes, List<LocalStore> stores) {
    this.node = node;
    this.engine = engine;
    this.writes = writes;
    stores.forEach(store -> byName.put(store.name(), store));
  }

  public int node() {
    return node;
  }

  public StorageEngine engine() {
    return engine;
  }

  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  public Collection<LocalStore> all() {
    return Collections.unmodifiableCollection(byName.values());
  }

  public @Nullable LocalStore find(String name) {
    return byName.get(name);
  }

  /** A store that the node has. */
  public LocalStore of(StoreKey key) {
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

  public byte @Nullable [] record(StoreKey key) {
    return engine.get(key.store(), key.key());
  }

  /** Commits the change of one write, with the durability of writes. */
  public void commit(Change change) {
    engine.commit(change, writes);
  }

  /** The replicas of a key, in ascending order; empty if the node does not have its store. */
  public List<Integer> replicas(StoreKey key) {
    LocalStore store = byName.get(key.store());
    return store == null ? List.of() : store.replicas(key.key()).stream().sorted().toList();
  }

  /** Ends the logs of all stores. All records must be on the medium. */
  public void closeLogs() {
    byName.values().forEach(LocalStore::close);
  }
}

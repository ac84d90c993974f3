package io.palinode.agent;

import io.palinode.retroscope.snapshot.Entry;
import io.palinode.voldemort.StorageEngine;
import io.palinode.voldemort.StorageException;
import io.palinode.voldemort.StoreNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The server's engines as the storage of a {@link StoreNode}, beside what that remembers of itself.
 *
 * <p>A commit over several keys is all or nothing by a journal: it is on the medium before the
 * first key is changed, and is done again at the next start if it is still there. So it may be done
 * twice, and each time sets whole records.
 */
final class StockEngines implements StorageEngine {
  private final Map<String, StockEngine> engines = new LinkedHashMap<>();
  private final MetaFiles meta;
  private final OwnCalls own;

  /** Ends what a crash interrupted. */
  StockEngines(List<StockEngine> engines, MetaFiles meta, OwnCalls own) {
    engines.forEach(engine -> this.engines.put(engine.store(), engine));
    this.meta = meta;
    this.own = own;
    List<Change> interrupted = meta.journal();
    if (!interrupted.isEmpty()) {
      apply(interrupted);
    }
  }

  private StockEngine engine(String store) {
    StockEngine engine = engines.get(store);
    if (engine == null) {
      throw new IllegalArgumentException(
          "a store must be one of %s: store=%s".formatted(engines.keySet(), store));
    }
    return engine;
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    if (isMeta(store)) {
      return meta.get(key);
    }
    StockEngine engine = engine(store);
    return failing(() -> engine.get(key));
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    if (changes.stream().allMatch(change -> isMeta(change.store()))) {
      meta.put(changes, durability == Durability.SYNCED);
      return;
    }
    meta.writeJournal(changes);
    apply(changes);
  }

  private void apply(List<Change> changes) {
    List<Change> ofMeta = new ArrayList<>();
    Map<String, StockEngine> changed = new LinkedHashMap<>();
    for (Change change : changes) {
      if (isMeta(change.store())) {
        ofMeta.add(change);
      } else if (engines.containsKey(change.store())) {
        StockEngine engine = engine(change.store());
        changed.put(change.store(), engine);
        failing(
            () -> {
              engine.set(change.key(), change.record());
              return null;
            });
      }
    }
    changed.values().forEach(StockEngine::sync);
    meta.put(ofMeta, true);
    meta.removeJournal();
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    StockEngine engine = engine(store);
    failing(
        () -> {
          engine.scan(visitor::visit);
          return null;
        });
  }

  /** The server's engines have no order of keys. */
  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    String why = "a stock server's store is not read in the order of keys: no snapshot of " + store;
    throw new StorageException(why, new UnsupportedOperationException(why));
  }

  private <T> @Nullable T failing(Failing<T> call) {
    try {
      return own.run(call::run);
    } catch (RuntimeException e) {
      throw new StorageException("an engine of the server failed: " + e, e);
    }
  }

  @FunctionalInterface
  private interface Failing<T> {
    @Nullable T run();
  }

  private static boolean isMeta(String store) {
    return store.equals(StoreNode.metaStore());
  }

  /** The server closes its engines itself. */
  @Override
  public void close() {}
}

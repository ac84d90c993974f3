package io.palinode.store.engine;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Records in memory; every durability is {@link StorageEngine.Durability#BUFFERED}. */
public final class MemoryEngine implements StorageEngine {
  private final Map<String, Records> recordsByStore = new HashMap<>();

  /** Of a store: a write of a key that is there looks into the table alone. */
  private static final class Records {
    private final ConcurrentMap<KeyBytes, byte[]> byKey = new ConcurrentHashMap<>();
    private final NavigableSet<KeyBytes> inOrder = new ConcurrentSkipListSet<>();

    void put(KeyBytes key, byte @Nullable [] record) {
      if (record != null && byKey.replace(key, record) != null) {
        return;
      }
      // In one step for each key: both have it, or none.
      byKey.compute(
          key,
          (same, old) -> {
            if (old == null && record != null) {
              inOrder.add(key);
            } else if (old != null && record == null) {
              inOrder.remove(key);
            }
            return record;
          });
    }

    /** From the first key, or from the one behind {@code after}, while {@code visitor} wants. */
    void forEach(@Nullable KeyBytes after, BiPredicate<KeyBytes, byte[]> visitor) {
      for (KeyBytes key : after == null ? inOrder : inOrder.tailSet(after, false)) {
        byte[] record = byKey.get(key);
        if (record != null && !visitor.test(key, record)) {
          return;
        }
      }
    }
  }

  public MemoryEngine(Collection<String> stores) {
    stores.forEach(store -> recordsByStore.put(store, new Records()));
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return records(store).byKey.get(new KeyBytes(key));
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    // Find every store before the first change: all or nothing.
    changes.forEach(change -> records(change.store()));
    changes.forEach(change -> commit(change, durability));
  }

  @Override
  public void commit(Change change, Durability durability) {
    records(change.store()).put(new KeyBytes(change.key()), change.record());
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    records(store)
        .forEach(
            null,
            (key, record) -> {
              visitor.visit(key.bytes(), record);
              return true;
            });
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    List<Entry> page = new ArrayList<>();
    long[] bytes = {0};
    records(store)
        .forEach(
            after == null ? null : new KeyBytes(after),
            (key, record) -> {
              page.add(new Entry(key.bytes(), record));
              bytes[0] += key.bytes().length + record.length;
              return bytes[0] < bytesMax;
            });
    return page;
  }

  @Override
  public void close() {}

  private Records records(String store) {
    Records records = recordsByStore.get(store);
    if (records == null) {
      throw new IllegalArgumentException(
          "a store must be one the engine was opened with: store=" + store);
    }
    return records;
  }
}

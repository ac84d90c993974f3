package io.palinode.store.engine;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** A key and its record; equal by the key. */
  private static final class Slot implements Comparable<Slot> {
    final byte[] key;
    volatile byte @Nullable [] record;

    Slot(byte[] key, byte @Nullable [] record) {
      this.key = key;
      this.record = record;
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Slot other && Arrays.equals(key, other.key);
    }

    @Override
    public int hashCode() {
      return new KeyBytes(key).hashCode();
    }

    @Override
    public int compareTo(Slot other) {
      return Arrays.compareUnsigned(key, other.key);
    }
  }

  /** Of a store: a write of a key that is there looks into the table alone. */
  private static final class Records {
    private final ConcurrentMap<Slot, Slot> byKey = new ConcurrentHashMap<>();
    private final NavigableSet<Slot> inOrder = new ConcurrentSkipListSet<>();

    byte @Nullable [] get(byte[] key) {
      Slot slot = byKey.get(new Slot(key, null));
      return slot == null ? null : slot.record;
    }

    void put(byte[] key, byte @Nullable [] record) {
      Slot fresh = new Slot(key, record);
      // In one step for each key: both have it, or none.
      byKey.compute(
          fresh,
          (same, old) -> {
            if (record == null) {
              if (old != null) {
                old.record = null;
                inOrder.remove(old);
              }
              return null;
            }
            if (old != null) {
              old.record = record;
              return old;
            }
            inOrder.add(fresh);
            return fresh;
          });
    }

    /** From the first key, or from the one behind {@code after}, while {@code visitor} wants. */
    void forEach(byte @Nullable [] after, BiPredicate<byte[], byte[]> visitor) {
      for (Slot slot : after == null ? inOrder : inOrder.tailSet(new Slot(after, null), false)) {
        byte[] record = slot.record;
        if (record != null && !visitor.test(slot.key, record)) {
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
    return records(store).get(key);
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    // Find every store before the first change: all or nothing.
    changes.forEach(change -> records(change.store()));
    changes.forEach(change -> commit(change, durability));
  }

  @Override
  public void commit(Change change, Durability durability) {
    records(change.store()).put(change.key(), change.record());
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    records(store)
        .forEach(
            null,
            (key, record) -> {
              visitor.visit(key, record);
              return true;
            });
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    List<Entry> page = new ArrayList<>();
    long[] bytes = {0};
    records(store)
        .forEach(
            after,
            (key, record) -> {
              page.add(new Entry(key, record));
              bytes[0] += key.length + record.length;
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

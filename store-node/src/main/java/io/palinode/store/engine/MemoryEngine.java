package io.palinode.store.engine;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** Records in memory; every durability is {@link StorageEngine.Durability#BUFFERED}. */
public final class MemoryEngine implements StorageEngine {
  private final Map<String, ConcurrentNavigableMap<KeyBytes, byte[]>> recordsByStore =
      new HashMap<>();

  public MemoryEngine(Collection<String> stores) {
    stores.forEach(store -> recordsByStore.put(store, new ConcurrentSkipListMap<>()));
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return records(store).get(new KeyBytes(key));
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    // Find every store before the first change: all or nothing.
    changes.forEach(change -> records(change.store()));
    for (Change change : changes) {
      KeyBytes key = new KeyBytes(change.key());
      byte[] record = change.record();
      if (record == null) {
        records(change.store()).remove(key);
      } else {
        records(change.store()).put(key, record);
      }
    }
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    records(store).forEach((key, record) -> visitor.visit(key.bytes(), record));
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    ConcurrentNavigableMap<KeyBytes, byte[]> all = records(store);
    List<Entry> page = new ArrayList<>();
    long bytes = 0;
    for (Map.Entry<KeyBytes, byte[]> one :
        (after == null ? all : all.tailMap(new KeyBytes(after), false)).entrySet()) {
      page.add(new Entry(one.getKey().bytes(), one.getValue()));
      bytes += one.getKey().bytes().length + one.getValue().length;
      if (bytes >= bytesMax) {
        break;
      }
    }
    return page;
  }

  @Override
  public void close() {}

  private ConcurrentNavigableMap<KeyBytes, byte[]> records(String store) {
    ConcurrentNavigableMap<KeyBytes, byte[]> records = recordsByStore.get(store);
    if (records == null) {
      throw new IllegalArgumentException(
          "a store must be one the engine was opened with: store=" + store);
    }
    return records;
  }
}

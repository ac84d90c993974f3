package io.palinode.voldemort;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Records in memory; every durability is {@link StorageEngine.Durability#BUFFERED}. */
public final class MemoryEngine implements StorageEngine {
  private final Map<String, Map<KeyBytes, byte[]>> recordsByStore = new HashMap<>();

  public MemoryEngine(Collection<String> stores) {
    stores.forEach(store -> recordsByStore.put(store, new ConcurrentHashMap<>()));
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return records(store).get(new KeyBytes(key));
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    // Look every store up before the first change: all or nothing.
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
  public void close() {}

  private Map<KeyBytes, byte[]> records(String store) {
    Map<KeyBytes, byte[]> records = recordsByStore.get(store);
    if (records == null) {
      throw new IllegalArgumentException(
          "a store must be one the engine was opened with: store=" + store);
    }
    return records;
  }
}

package io.palinode.store.hosted;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.FreeBytes;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.order.NodeMeta;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The node's own records in files. Another engine has all others. */
public final class MetaEngine implements StorageEngine {
  private final MetaFiles files;

  public MetaEngine(MetaFiles files) {
    this.files = files;
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    requireMeta(store);
    return files.get(key);
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    changes.forEach(change -> requireMeta(change.store()));
    files.put(changes, durability == Durability.SYNCED);
  }

  private static void requireMeta(String store) {
    if (!store.equals(NodeMeta.STORE)) {
      throw new IllegalArgumentException("this engine has the node's own records alone: " + store);
    }
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    throw new UnsupportedOperationException("the node's own records are not scanned");
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    throw new UnsupportedOperationException("the node's own records have no pages");
  }

  @Override
  public OptionalLong freeBytes() {
    return FreeBytes.in(files.folder().toFile());
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    return files.putSpare(record, durability == Durability.SYNCED);
  }

  @Override
  public byte @Nullable [] spare() {
    return files.spare();
  }

  @Override
  public void close() {}
}

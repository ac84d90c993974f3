package io.palinode.store.conformance;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.StorageEngine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An engine that passes everything on, to change one method of another. */
public class PassingEngine implements StorageEngine {
  private final StorageEngine engine;

  protected PassingEngine(StorageEngine engine) {
    this.engine = engine;
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return engine.get(store, key);
  }

  @Override
  public void read(String store, Iterable<byte[]> keys, FoundVisitor visitor) {
    engine.read(store, keys, visitor);
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    engine.commit(changes, durability);
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    engine.scan(store, visitor);
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    return engine.page(store, after, bytesMax);
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    return engine.putSpare(record, durability);
  }

  @Override
  public byte @Nullable [] spare() {
    return engine.spare();
  }

  @Override
  public void close() {
    engine.close();
  }
}

package io.palinode.simulation.environment;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.MemoryEngine;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What outlives the process of a node: every commit, whole. It can be full, and the process can die
 * right before or right after a commit.
 */
public final class Disk implements StorageEngine {
  /** Around each commit; may end the process by an error. */
  public interface Observer {
    Observer NONE =
        new Observer() {
          @Override
          public void committing() {}

          @Override
          public void committed(List<Change> changes) {}

          @Override
          public void refused(List<Change> changes) {}
        };

    void committing();

    void committed(List<Change> changes);

    /** There is no space for a commit. */
    void refused(List<Change> changes);
  }

  private final MemoryEngine records;
  private Observer observer = Observer.NONE;
  private boolean full;
  private byte @Nullable [] spare;

  public Disk(Collection<String> stores) {
    this.records = new MemoryEngine(stores);
  }

  public void observe(Observer newObserver) {
    observer = newObserver;
  }

  public void setFull(boolean isFull) {
    full = isFull;
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return records.get(store, key);
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    if (full) {
      observer.refused(changes);
      throw new StorageException("no space is left", new IllegalStateException("simulated"));
    }
    observer.committing();
    records.commit(changes, durability);
    observer.committed(changes);
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    records.scan(store, visitor);
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    return records.page(store, after, bytesMax);
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    spare = record;
    return true;
  }

  @Override
  public byte @Nullable [] spare() {
    return spare;
  }

  /** The process ends; what was committed stays. */
  @Override
  public void close() {}
}

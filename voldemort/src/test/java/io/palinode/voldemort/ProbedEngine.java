package io.palinode.voldemort;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An engine that can be broken, watched, and interrupted in the middle of a read. */
final class ProbedEngine implements StorageEngine {
  final List<Commit> commits = new ArrayList<>();
  boolean fails;

  /** Whether it has room of which no failure deprives it. */
  boolean hasSpareRoom;

  int gets;
  int scans;

  /** Runs once, when the next read has its record in hand. */
  @Nullable Runnable duringNextRead;

  /** Runs before each commit. */
  Consumer<List<Change>> beforeCommit = changes -> {};

  /** Runs after each commit. */
  Consumer<List<Change>> afterCommit = changes -> {};

  private final StorageEngine engine;
  private byte @Nullable [] spare;

  record Commit(List<Change> changes, Durability durability) {}

  ProbedEngine(StorageEngine engine) {
    this.engine = engine;
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    gets++;
    byte[] record = working().get(store, key);
    Runnable interruption = duringNextRead;
    if (interruption != null) {
      duringNextRead = null;
      interruption.run();
    }
    return record;
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    beforeCommit.accept(changes);
    working().commit(changes, durability);
    commits.add(new Commit(changes, durability));
    afterCommit.accept(changes);
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    scans++;
    working().scan(store, visitor);
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    scans++;
    return working().page(store, after, bytesMax);
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    spare = hasSpareRoom ? record : spare;
    return hasSpareRoom;
  }

  @Override
  public byte @Nullable [] spare() {
    return spare;
  }

  @Override
  public void close() {
    engine.close();
  }

  private StorageEngine working() {
    if (fails) {
      throw new StorageException("the disk is broken", new IOException("broken"));
    }
    return engine;
  }
}

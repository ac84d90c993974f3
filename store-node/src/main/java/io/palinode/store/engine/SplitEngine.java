package io.palinode.store.engine;

import io.palinode.retroscope.snapshot.file.Entry;
import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Some stores in memory, all others on disk.
 *
 * <p>A commit over both is atomic: the disk goes first, and memory does not fail. A crash in
 * between loses the memory anyway.
 */
public final class SplitEngine implements StorageEngine {
  private final StorageEngine disk;
  private final StorageEngine memory;
  private final Set<String> inMemory;
  private final File logs;

  /**
   * @param logs the folder of the window-logs on disk; it may be absent
   */
  public SplitEngine(StorageEngine disk, Collection<String> inMemory, File logs) {
    this.disk = disk;
    this.logs = logs;
    this.memory = new MemoryEngine(inMemory);
    this.inMemory = Set.copyOf(inMemory);
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    return engineOf(store).get(store, key);
  }

  @Override
  public void read(String store, Iterable<byte[]> keys, FoundVisitor visitor) {
    engineOf(store).read(store, keys, visitor);
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    List<Change> onDisk = new ArrayList<>(changes.size());
    List<Change> volatiles = new ArrayList<>();
    for (Change change : changes) {
      (inMemory.contains(change.store()) ? volatiles : onDisk).add(change);
    }
    if (!onDisk.isEmpty()) {
      disk.commit(onDisk, durability);
    }
    memory.commit(volatiles, durability);
  }

  @Override
  public void commit(Change change, Durability durability) {
    engineOf(change.store()).commit(change, durability);
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    engineOf(store).scan(store, visitor);
  }

  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    return engineOf(store).page(store, after, bytesMax);
  }

  @Override
  public OptionalLong freeBytes() {
    OptionalLong records = disk.freeBytes();
    OptionalLong free = FreeBytes.in(logs);
    return records.isEmpty() || free.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Math.min(records.getAsLong(), free.getAsLong()));
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    return disk.putSpare(record, durability);
  }

  @Override
  public byte @Nullable [] spare() {
    return disk.spare();
  }

  @Override
  public void close() {
    memory.close();
    disk.close();
  }

  private StorageEngine engineOf(String store) {
    return inMemory.contains(store) ? memory : disk;
  }
}

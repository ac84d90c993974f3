package io.palinode.store.engine;

import io.palinode.retroscope.snapshot.Scan;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The records of one node's stores: for each key the bytes of its siblings. Any thread may read;
 * one thread at a time may call {@link #commit}. Arrays are not copied, so no caller may change
 * them.
 *
 * <p>Throws {@link IllegalArgumentException} for a store that the engine was not opened with, and
 * {@link StorageException} if the medium fails.
 */
public interface StorageEngine extends AutoCloseable {
  /** The committed record of a key; null if there is none. */
  byte @Nullable [] get(String store, byte[] key);

  /**
   * Visits each of {@code keys}, in their order, with its record. Fastest in the order of the keys'
   * unsigned bytes. No thread may write meanwhile.
   */
  default void read(String store, Iterable<byte[]> keys, FoundVisitor visitor) {
    keys.forEach(key -> visitor.visit(key, get(store, key)));
  }

  /**
   * Applies all changes, or none if it throws. On return they survive what {@code durability}
   * names. A reader may see a part of the changes before the call returns.
   */
  void commit(List<Change> changes, Durability durability);

  /** Applies one change; see the other. */
  default void commit(Change change, Durability durability) {
    commit(List.of(change), durability);
  }

  /** Visits each key of a store once, in any order. No thread may write meanwhile. */
  void scan(String store, RecordVisitor visitor);

  /**
   * The records after {@code after} (null: from the first), in the order of their keys' unsigned
   * bytes. At most {@code bytesMax} bytes, but at least one record; empty after the last. Writes
   * may run: a key that changes meanwhile appears with one of its records, or not at all.
   */
  List<Entry> page(String store, byte @Nullable [] after, int bytesMax);

  /** Goes through a store without a key order, while writes run; null: see {@link #page}. */
  default @Nullable Scan scan(String store) {
    return null;
  }

  /**
   * Writes a small record of the node into room allocated before, even on a full disk. Returns
   * false if there is no such room, or the write fails. No store contains this record.
   */
  default boolean putSpare(byte[] record, Durability durability) {
    return false;
  }

  /** The last record that {@link #putSpare} wrote; null if there is none. */
  default byte @Nullable [] spare() {
    return null;
  }

  /** The least of the file systems that have the node's data. Empty: unknown, or there is none. */
  default OptionalLong freeBytes() {
    return OptionalLong.empty();
  }

  /** Idempotent. */
  @Override
  void close();

  /** The new record of a key; null removes the key. */
  record Change(String store, byte[] key, byte @Nullable [] record) {}

  /** What a committed change survives. */
  enum Durability {
    /** Survives nothing that ends the process. */
    BUFFERED,
    /** Survives the end of the process, not of the machine. */
    WRITTEN,
    /** Survives a loss of power. */
    SYNCED
  }

  /** Receives each requested key with its record. */
  @FunctionalInterface
  interface FoundVisitor {
    /** {@code record} is null if there is none. */
    void visit(byte[] key, byte @Nullable [] record);
  }

  /** Receives the records of a scan. */
  @FunctionalInterface
  interface RecordVisitor {
    void visit(byte[] key, byte[] record);
  }
}

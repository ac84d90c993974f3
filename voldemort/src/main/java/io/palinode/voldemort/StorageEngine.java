package io.palinode.voldemort;

import io.palinode.retroscope.snapshot.file.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of one node's stores: for each key the bytes of its siblings. Reads may come from any
 * thread; {@link #commit} from one thread at a time. Arrays that go in or come out are not copied:
 * nobody changes them.
 *
 * <p>A store that the engine was not opened with is an {@link IllegalArgumentException}; a medium
 * that fails is a {@link StorageException}.
 */
public interface StorageEngine extends AutoCloseable {
  /** The record of a key, null when there is none. Never a record that is not committed. */
  byte @Nullable [] get(String store, byte[] key);

  /**
   * Visits each of {@code keys}, in their order, with its record. Cheapest in the order of the
   * keys' unsigned bytes. Nobody writes meanwhile.
   */
  default void read(String store, Iterable<byte[]> keys, FoundVisitor visitor) {
    keys.forEach(key -> visitor.visit(key, get(store, key)));
  }

  /**
   * Applies all changes or, when it throws, none; on return they stand what {@code durability}
   * names. A reader may see a part of the changes before the call returns.
   */
  void commit(List<Change> changes, Durability durability);

  /** Visits each key of a store once, in no promised order. Nobody writes meanwhile. */
  void scan(String store, RecordVisitor visitor);

  /**
   * The records that follow {@code after} (null: from the first) in the order of their keys'
   * unsigned bytes: as many as have {@code bytesMax} bytes, one at least; empty behind the last.
   * Writes may go on: a key that changes meanwhile is seen as it was at some moment, or not at all.
   */
  List<Entry> page(String store, byte @Nullable [] after, int bytesMax);

  /**
   * Puts the node's own small record into room that was allocated before, which a full disk takes
   * too; false when there is no such room, or it fails. Not one of the records of a store.
   */
  default boolean putSpare(byte[] record, Durability durability) {
    return false;
  }

  /** The last record that {@link #putSpare} took; null: there is none. */
  default byte @Nullable [] spare() {
    return null;
  }

  /** Idempotent. */
  @Override
  void close();

  /** The record that a key gets; null: the key goes. */
  record Change(String store, byte[] key, byte @Nullable [] record) {}

  /** What a committed change outlives. */
  enum Durability {
    /** Nothing that ends the process. */
    BUFFERED,
    /** The death of the process, not of the machine. */
    WRITTEN,
    /** The loss of power. */
    SYNCED
  }

  /** Sees what was found of keys that were asked for. */
  @FunctionalInterface
  interface FoundVisitor {
    /** {@code record} is null when there is none. */
    void visit(byte[] key, byte @Nullable [] record);
  }

  /** Sees the records of a scan. */
  @FunctionalInterface
  interface RecordVisitor {
    void visit(byte[] key, byte[] record);
  }
}

package io.palinode.hazelcast.node;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hazelcast.record.EntryValue;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The maps of a member, as a plan pauses and changes them. Thread-safe. */
public interface Maps {
  /** Waits for operations that have begun. */
  void awaitBegun();

  /** Their number. */
  int partitions();

  /** The node of the member that owns a partition; negative if none does. */
  int owner(int partition);

  /**
   * Gives entries these values, at this member and its backups, and waits for them. Throws if one
   * is not written; the others may be, also later.
   */
  void write(List<Entry> entries);

  /**
   * An entry that this member owns.
   *
   * @param header of its key
   * @param value null: the entry is removed
   * @param isDue whether it is still to be written
   */
  record Entry(
      StoreKey key,
      int partition,
      long header,
      @Nullable EntryValue value,
      BooleanSupplier isDue) {}
}

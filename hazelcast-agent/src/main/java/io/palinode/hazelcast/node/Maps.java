package io.palinode.hazelcast.node;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hazelcast.record.EntryValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The maps of a member, as a plan pauses and changes them. For one thread at a time. */
public interface Maps {
  /** Waits for operations that have begun. */
  void awaitBegun();

  /** The node of the member that owns a partition; negative if none does. By any thread. */
  int owner(int partition);

  /**
   * Gives entries these values, at this member and its backups, and waits for them. Throws if one
   * is not written; the others may be.
   */
  void write(List<Entry> entries);

  /**
   * An entry that this member owns.
   *
   * @param header of its key
   * @param value null: the entry is removed
   */
  record Entry(StoreKey key, int partition, long header, @Nullable EntryValue value) {}
}

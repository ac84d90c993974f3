package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The present and the recent past of one node's stores. Thread-safe; writes continue meanwhile.
 * Throws {@link IllegalArgumentException} for an unknown store.
 */
public interface History {
  List<String> stores();

  /** The window-log of a store. */
  WindowLog past(String store);

  /**
   * Returns when every write at or before {@code hlc} can be read and is in its window-log; no
   * later write is at or before it. Returns the node's HLC, of which the same holds. Throws {@link
   * io.palinode.retroscope.OutOfReachException} when the time lies further ahead of the node's
   * clock than drift is accepted.
   */
  long settle(long hlc);

  /** What is known of rollbacks: read after {@link #settle}, of those that began before. */
  default RollbackTimes rollbacks() {
    return RollbackTimes.NONE;
  }

  /** The record of a key now; null when it is absent. */
  byte @Nullable [] get(String store, byte[] key);

  /**
   * The records that follow {@code after} (null: from the first) in the order of their keys'
   * unsigned bytes: as many as have {@code bytesMax} bytes, one at least; empty behind the last. A
   * key that changes meanwhile is seen as it was at some moment, or not at all.
   */
  List<Entry> page(String store, byte @Nullable [] after, int bytesMax);

  /** Goes through a store whose keys have no order; null: they have one, see {@link #page}. */
  default @Nullable Scan scan(String store) {
    return null;
  }

  /**
   * Throws {@link io.palinode.retroscope.OutOfReachException} with the reason if a store lost
   * records after {@code hlc} without a change in its window-log. Called after they are read.
   */
  default void requireNothingLost(long hlc) {}

  /**
   * The record that a key had at {@code hlc}; null when it was absent. Throws {@link
   * io.palinode.retroscope.OutOfReachException}, and {@link HalfUndoneException} for a time within
   * a rollback. O(changes since).
   */
  default byte @Nullable [] getAsOf(String store, byte[] key, long hlc) {
    // No write at or before the time follows any more; and then whatever the read has seen is in
    // the window-log.
    settle(hlc);
    byte[] present = get(store, key);
    settle(hlc);
    FirstChange change = new FirstChange(key);
    past(store).forFirstChanges(hlc, change);
    rollbacks().requireWhole(hlc);
    return change.isFound() ? change.old() : present;
  }
}

package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.Diff;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Some of the keys of a store that changed between two times, with what they had at either, in
 * order: as many as fit. O(changes since the earlier of the times), and the keys' records.
 *
 * @param byKey absent keys included
 * @param end all keys up to this one are among them; null: all keys are
 */
record Change(TreeMap<byte[], Two> byKey, byte @Nullable [] end) {
  /** What a key had; null: it was absent. */
  record Two(byte @Nullable [] before, byte @Nullable [] after) {}

  /**
   * Throws {@link io.palinode.retroscope.OutOfReachException} unless both times are in reach.
   *
   * @param early not after {@code late}
   * @param behind only keys behind this one; null: from the first
   */
  static Change between(
      History history,
      String store,
      long early,
      long late,
      byte @Nullable [] behind,
      long heapBytesMax) {
    history.settle(late);
    LeastKeys before = new LeastKeys(behind, heapBytesMax);
    try (Diff diff = history.past(store).diffBetween(early, late)) {
      diff.forEach((key, old) -> before.add(new Entry(key, old)));
    }
    TreeMap<byte[], byte @Nullable []> after = new TreeMap<>(Overlay.UNSIGNED);
    byte[] end = readPresent(history, store, before, after, heapBytesMax);
    // As for one key in History.getAsOf: read, settle, look into the window-log.
    history.settle(late);
    try (Diff later = history.past(store).diffBetween(late, Long.MAX_VALUE)) {
      later.forEach(after::replace);
    }
    TreeMap<byte[], Two> byKey = new TreeMap<>(Overlay.UNSIGNED);
    after.forEach(
        (key, value) -> {
          Entry old = before.kept().get(key);
          byKey.put(key, new Two(old == null ? null : old.record(), value));
        });
    return new Change(byKey, end);
  }

  /** Reads as many as fit; where that ends. */
  private static byte @Nullable [] readPresent(
      History history,
      String store,
      LeastKeys keys,
      TreeMap<byte[], byte @Nullable []> presentByKey,
      long bytesMax) {
    long bytes = 0;
    for (byte[] key : keys.kept().keySet()) {
      if (bytes > bytesMax) {
        return presentByKey.lastKey();
      }
      byte[] present = history.get(store, key);
      presentByKey.put(key, present);
      bytes += present == null ? 0 : present.length;
    }
    return keys.end();
  }
}

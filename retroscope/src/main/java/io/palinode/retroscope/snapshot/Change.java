package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.Diff;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a store that changed between two times, with what they had at either. O(changes since
 * the earlier of them).
 */
final class Change {
  private final Map<byte[], Two> byKey;

  /** What a key had; null: it was absent. */
  record Two(byte @Nullable [] before, byte @Nullable [] after) {}

  private Change(Map<byte[], Two> byKey) {
    this.byKey = byKey;
  }

  /**
   * Throws {@link io.palinode.retroscope.OutOfReachException} unless both times are in reach.
   *
   * @param early not after {@code late}
   */
  static Change between(History history, String store, long early, long late) {
    history.settle(late);
    TreeMap<byte[], byte @Nullable []> before = new TreeMap<>(Overlay.UNSIGNED);
    try (Diff diff = history.past(store).diffBetween(early, late)) {
      diff.forEach(before::put);
    }
    Map<byte[], byte @Nullable []> after = valuesAt(history, store, before, late);
    TreeMap<byte[], Two> byKey = new TreeMap<>(Overlay.UNSIGNED);
    before.forEach((key, old) -> byKey.put(key, new Two(old, after.get(key))));
    return new Change(byKey);
  }

  /** As for one key in {@link History#getAsOf}: read, settle, look into the window-log. */
  private static Map<byte[], byte @Nullable []> valuesAt(
      History history, String store, Map<byte[], byte @Nullable []> keys, long hlc) {
    TreeMap<byte[], byte @Nullable []> values = new TreeMap<>(Overlay.UNSIGNED);
    keys.keySet().forEach(key -> values.put(key, history.get(store, key)));
    history.settle(hlc);
    try (Diff later = history.past(store).diffBetween(hlc, Long.MAX_VALUE)) {
      later.forEach(values::replace);
    }
    return values;
  }

  /** The keys in order, each with what it had at the earlier or the later time. */
  List<Entry> entries(boolean atLater) {
    List<Entry> entries = new ArrayList<>(byKey.size());
    byKey.forEach((key, two) -> entries.add(new Entry(key, atLater ? two.after() : two.before())));
    return entries;
  }

  /** How many more keys there are later. */
  long growth() {
    return byKey.values().stream()
        .mapToLong(two -> (two.after() == null ? 0 : 1) - (two.before() == null ? 0 : 1))
        .sum();
  }

  static Map<String, Change> ofAll(History history, long early, long late) {
    Map<String, Change> changes = new HashMap<>();
    history.stores().forEach(s -> changes.put(s, between(history, s, early, late)));
    return changes;
  }
}

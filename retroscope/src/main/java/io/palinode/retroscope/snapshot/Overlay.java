package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.Diff;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the keys that changed after a time had at that time, collected while they go on to change.
 * It is extended often, so that the window-log need not reach back to the time for as long as a
 * whole store takes to be read. For one thread.
 */
final class Overlay {
  static final Comparator<byte[]> UNSIGNED = Arrays::compareUnsigned;

  private final History history;
  private final List<String> stores;
  private final List<NavigableMap<byte[], Entry>> oldByKey = new ArrayList<>();
  private long upTo;
  private long bytes;
  private long entries;

  Overlay(History history, long hlc) {
    this.history = history;
    this.stores = history.stores();
    this.upTo = hlc;
    stores.forEach(store -> oldByKey.add(new TreeMap<>(UNSIGNED)));
  }

  /**
   * Adds what has changed up to now. Throws {@link io.palinode.retroscope.OutOfReachException} when
   * the window-log does not reach back to the last extension (first, to the time itself).
   */
  void extend() {
    long now = history.settle(upTo);
    for (int store = 0; store < stores.size(); store++) {
      Map<byte[], Entry> old = oldByKey.get(store);
      try (Diff diff = history.past(stores.get(store)).diffBetween(upTo, now)) {
        diff.forEach((key, value) -> add(old, new Entry(key, value)));
      }
    }
    upTo = now;
  }

  /** The earliest change tells what the key had. */
  private void add(Map<byte[], Entry> old, Entry entry) {
    if (old.putIfAbsent(entry.key(), entry) == null) {
      bytes += entry.bytes();
      entries++;
    }
  }

  long bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return entries == 0;
  }

  /** Entries of a store, in order. */
  Iterable<Entry> entries(int store) {
    return oldByKey.get(store).values();
  }

  /** Entries of a store behind one key (null: from the first) up to another (null: the last). */
  Iterable<Entry> between(String store, byte @Nullable [] after, byte @Nullable [] last) {
    NavigableMap<byte[], Entry> some = oldByKey.get(stores.indexOf(store));
    some = after == null ? some : some.tailMap(after, false);
    return (last == null ? some : some.headMap(last, true)).values();
  }

  /** Forgets what it has; later extensions go on from here. */
  void clear() {
    oldByKey.forEach(Map::clear);
    bytes = 0;
    entries = 0;
  }
}

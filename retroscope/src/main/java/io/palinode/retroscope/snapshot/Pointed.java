package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One store as it was at a {@link Point}, in pages. For one thread at a time. */
sealed interface Pointed extends AutoCloseable {
  /** As {@link History#page}. */
  List<Entry> page(byte @Nullable [] after, int bytesMax);

  /** The last key that it knows; null if it knows all. May become less. */
  default byte @Nullable [] end() {
    return null;
  }

  @Override
  default void close() {}

  /** A store in a snapshot. */
  record InSnapshot(OpenSnapshot snapshot, String store) implements Pointed {
    @Override
    public List<Entry> page(byte @Nullable [] after, int bytesMax) {
      return snapshot.page(store, after, bytesMax);
    }

    @Override
    public void close() {
      snapshot.close();
    }
  }

  /**
   * A store at a time: as it is, with what has changed since put back. It holds a limited number of
   * bytes of that, for the least keys after its beginning, and knows no further key.
   */
  final class AtTime implements Pointed {
    private final History history;
    private final String store;
    private final LeastKeys old;
    private final Overlay overlay;

    /**
     * @param behind the least key that is of interest comes after it; null: all are
     */
    AtTime(History history, String store, long hlc, byte @Nullable [] behind, long heapBytesMax) {
      this.history = history;
      this.store = store;
      this.old = new LeastKeys(behind, heapBytesMax);
      this.overlay =
          new Overlay(history, List.of(store), hlc, (only, entry) -> old.add(entry), () -> {});
      // Before anything is read: no write at or before the time may follow.
      overlay.extend();
    }

    @Override
    public byte @Nullable [] end() {
      return old.end();
    }

    @Override
    public List<Entry> page(byte @Nullable [] after, int bytesMax) {
      byte[] from = after;
      while (true) {
        if (from != null) {
          // Not up to where a page ends: keys behind its last that was there are asked for again.
          old.forgetUpTo(from);
        }
        List<Entry> present = history.page(store, from, bytesMax);
        byte[] last = present.isEmpty() ? null : present.get(present.size() - 1).key();
        overlay.extend();
        byte[] end = old.end();
        if (end != null && from != null && Arrays.compareUnsigned(from, end) >= 0) {
          return List.of();
        }
        boolean isLast = last == null || (end != null && Arrays.compareUnsigned(last, end) >= 0);
        last = isLast ? end : last;
        List<Entry> page = putBack(present, from, last);
        // When all of a page was absent at that time, the next one may not be.
        if (!page.isEmpty() || isLast) {
          return page;
        }
        from = last;
      }
    }

    /** The keys behind one (null: from the first) up to another (null: the last). */
    private List<Entry> putBack(
        List<Entry> present, byte @Nullable [] after, byte @Nullable [] last) {
      NavigableMap<byte[], Entry> page = new TreeMap<>(Overlay.UNSIGNED);
      present.forEach(entry -> page.put(entry.key(), entry));
      NavigableMap<byte[], Entry> some = old.kept();
      some = after == null ? some : some.tailMap(after, false);
      for (Entry entry : (last == null ? some : some.headMap(last, true)).values()) {
        if (entry.record() == null) {
          page.remove(entry.key());
        } else {
          page.put(entry.key(), entry);
        }
      }
      return List.copyOf((last == null ? page : page.headMap(last, true)).values());
    }
  }
}

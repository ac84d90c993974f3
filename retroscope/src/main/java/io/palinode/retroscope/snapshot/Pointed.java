package io.palinode.retroscope.snapshot;

import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One store as it was at a {@link Point}, in pages. For one thread at a time. */
sealed interface Pointed extends AutoCloseable {
  /** As {@link History#page}. */
  List<Entry> page(byte @Nullable [] after, int bytesMax);

  @Override
  default void close() {}

  static Pointed open(LocalSnapshots snapshots, History history, String store, Point point) {
    String id = point.id();
    return id == null
        ? new AtTime(history, store, point.hlc())
        : new InSnapshot(snapshots.open(id), store);
  }

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

  /** A store at a time: as it is, with what has changed since put back. */
  final class AtTime implements Pointed {
    private final History history;
    private final String store;
    private final Overlay overlay;

    AtTime(History history, String store, long hlc) {
      this.history = history;
      this.store = store;
      this.overlay = new Overlay(history, hlc);
      // Before anything is read: no write at or before the time may follow.
      overlay.extend();
    }

    @Override
    public List<Entry> page(byte @Nullable [] after, int bytesMax) {
      byte[] from = after;
      while (true) {
        List<Entry> present = history.page(store, from, bytesMax);
        byte[] last = present.isEmpty() ? null : present.get(present.size() - 1).key();
        overlay.extend();
        List<Entry> page = putBack(present, from, last);
        // When all of a page was absent at that time, the next one may not be.
        if (!page.isEmpty() || last == null) {
          return page;
        }
        from = last;
      }
    }

    private List<Entry> putBack(
        List<Entry> present, byte @Nullable [] after, byte @Nullable [] last) {
      TreeMap<byte[], Entry> page = new TreeMap<>(Overlay.UNSIGNED);
      present.forEach(entry -> page.put(entry.key(), entry));
      for (Entry old : overlay.between(store, after, last)) {
        if (old.record() == null) {
          page.remove(old.key());
        } else {
          page.put(old.key(), old);
        }
      }
      return List.copyOf(page.values());
    }
  }
}

package io.palinode.voldemort;

import io.palinode.voldemort.protocol.VectorClock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The deletes that one store was the first to accept, as far back as its window-log reaches: the
 * log tells which versions went, but not up to which clock. Bounded by bytes too; what no longer
 * fits is forgotten, the oldest first, and covers nothing any more. Used under the node's write
 * lock, except {@link #bytes}.
 */
final class Deletes {
  /** Objects, headers and references of an entry, beside the bytes of its key and clock. */
  static final int ENTRY_BYTES = 112;

  private final long bytesMax;
  private final Runnable onForgotten;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param onForgotten run for each entry that is forgotten for want of room
   */
  Deletes(long bytesMax, Runnable onForgotten) {
    this.bytesMax = bytesMax;
    this.onForgotten = onForgotten;
  }

  /** A delete of the versions up to {@code upTo}, first accepted at {@code hlc}. */
  record Delete(long hlc, VectorClock upTo) {}

  /**
   * A delete of {@code key} up to an encoded clock; or, without one, that at {@code hlc} everything
   * after {@code undoneAfter} was undone.
   */
  private record Entry(long hlc, @Nullable KeyBytes key, byte @Nullable [] upTo, long undoneAfter) {
    int bytes() {
      return ENTRY_BYTES
          + (key == null ? 0 : key.bytes().length)
          + (upTo == null ? 0 : upTo.length);
    }
  }

  void add(long hlc, byte[] key, VectorClock upTo) {
    add(new Entry(hlc, new KeyBytes(key), upTo.encode(), 0));
  }

  /** A restore to {@code target} was done at {@code hlc}; it can be undone itself, so all stay. */
  void undone(long hlc, long target) {
    if (!entries.isEmpty()) {
      add(new Entry(hlc, null, null, target));
    }
  }

  private void add(Entry entry) {
    entries.addLast(entry);
    bytes.addAndGet(entry.bytes());
    while (bytes.get() > bytesMax) {
      removeFirst();
      onForgotten.run();
    }
  }

  /** The window-log reaches back to {@code reach}: what is not after it is of no use. */
  void forgetUpTo(long reach) {
    while (!entries.isEmpty() && entries.getFirst().hlc() <= reach) {
      removeFirst();
    }
  }

  private void removeFirst() {
    bytes.addAndGet(-entries.removeFirst().bytes());
  }

  /** The memory that the list holds, in bytes, nearly. Thread-safe. */
  long bytes() {
    return bytes.get();
  }

  /** Those in {@code (since, target]} that stand on the cut at {@code target}, by key. */
  Map<KeyBytes, List<Delete>> standingAt(long target, long since) {
    List<Entry> standing = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.hlc() > target) {
        break;
      }
      if (entry.key() == null) {
        standing.removeIf(earlier -> earlier.hlc() > entry.undoneAfter());
      } else if (entry.hlc() > since) {
        standing.add(entry);
      }
    }
    Map<KeyBytes, List<Delete>> byKey = new LinkedHashMap<>();
    for (Entry entry : standing) {
      if (entry.key() != null && entry.upTo() != null) {
        VectorClock upTo = VectorClock.readFrom(ByteBuffer.wrap(entry.upTo()));
        byKey
            .computeIfAbsent(entry.key(), key -> new ArrayList<>())
            .add(new Delete(entry.hlc(), upTo));
      }
    }
    return byKey;
  }
}

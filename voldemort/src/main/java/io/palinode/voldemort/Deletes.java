package io.palinode.voldemort;

import io.palinode.retroscope.WindowLog;
import io.palinode.voldemort.protocol.VectorClock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The deletes that one store was the first to accept, as far back as its window-log reaches: the
 * log tells which versions went, but not up to which clock. Bounded by bytes too; what no longer
 * fits is forgotten, the oldest first, and covers nothing any more. Used under the node's write
 * lock, except {@link #bytes}.
 *
 * <p>On disk it is a window-log too, in which a change is
 *
 * <pre>
 * | 0 u8 | key |, encoded clock        a delete
 * | 1 u8 |,       undone after, i64    a restore, big-endian
 * </pre>
 */
final class Deletes {
  /** Objects, headers and references of an entry, beside the bytes of its key and clock. */
  static final int ENTRY_BYTES = 112;

  private static final byte DELETE = 0;
  private static final byte UNDONE = 1;

  private final long bytesMax;
  private final Runnable onForgotten;
  private final @Nullable WindowLog disk;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param onForgotten run for each entry that is forgotten for want of room
   * @param disk knows those of earlier runs; null: there is none
   */
  Deletes(long bytesMax, Runnable onForgotten, @Nullable WindowLog disk) {
    this.bytesMax = bytesMax;
    this.onForgotten = onForgotten;
    this.disk = disk;
    if (disk != null) {
      disk.forEachBetween(
          disk.reach(), Long.MAX_VALUE, (hlc, key, value) -> add(Entry.of(hlc, key, value)));
    }
  }

  /** A delete of the versions up to {@code upTo}, first accepted at {@code hlc}. */
  record Delete(long hlc, VectorClock upTo) {}

  /**
   * A delete of {@code key} up to an encoded clock; or, without one, that at {@code hlc} everything
   * after {@code undoneAfter} was undone.
   */
  private record Entry(long hlc, @Nullable KeyBytes key, byte @Nullable [] upTo, long undoneAfter) {
    static Entry of(long hlc, byte[] key, byte @Nullable [] value) {
      return key[0] == DELETE
          ? new Entry(hlc, new KeyBytes(Arrays.copyOfRange(key, 1, key.length)), value, 0)
          : new Entry(hlc, null, null, ByteBuffer.wrap(Objects.requireNonNull(value)).getLong());
    }

    byte[] diskKey() {
      return key == null
          ? new byte[] {UNDONE}
          : ByteBuffer.allocate(1 + key.bytes().length).put(DELETE).put(key.bytes()).array();
    }

    byte @Nullable [] diskValue() {
      return key == null ? ByteBuffer.allocate(Long.BYTES).putLong(undoneAfter).array() : upTo;
    }

    int bytes() {
      return ENTRY_BYTES
          + (key == null ? 0 : key.bytes().length)
          + (upTo == null ? 0 : upTo.length);
    }
  }

  void add(long hlc, byte[] key, VectorClock upTo) {
    keep(new Entry(hlc, new KeyBytes(key), upTo.encode(), 0));
  }

  /** A restore to {@code target} was done at {@code hlc}; it can be undone itself, so all stay. */
  void undone(long hlc, long target) {
    if (!entries.isEmpty()) {
      keep(new Entry(hlc, null, null, target));
    }
  }

  private void keep(Entry entry) {
    if (disk != null) {
      disk.append(entry.hlc(), entry.diskKey(), entry.diskValue());
    }
    add(entry);
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

  /** What it takes on disk, in bytes. Thread-safe. */
  long diskBytes() {
    return disk == null ? 0 : disk.diskBytes();
  }

  /** Ends what is on disk in order, see {@link WindowLog#close}. */
  void close() {
    if (disk != null) {
      disk.close();
    }
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

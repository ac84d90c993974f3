package io.palinode.voldemort;

import io.palinode.retroscope.WindowLog;
import io.palinode.voldemort.protocol.VectorClock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
 * | 2 u8 | key |, undone after, i64    a restore of this key
 * </pre>
 *
 * <p>What begins with another number is read as a restore of all keys, so is 2 by releases that do
 * not know it: a delete that is taken for undone loses nothing.
 */
final class Deletes {
  /** Objects, headers and references of an entry, beside the bytes of its key and clock. */
  static final int ENTRY_BYTES = 112;

  private static final byte DELETE = 0;
  private static final byte UNDONE = 1;
  private static final byte UNDONE_KEY = 2;

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
   * of that key, or of all keys, after {@code undoneAfter} was undone.
   */
  private record Entry(long hlc, @Nullable KeyBytes key, byte @Nullable [] upTo, long undoneAfter) {
    static Entry of(long hlc, byte[] key, byte @Nullable [] value) {
      byte[] told = Objects.requireNonNull(value);
      return switch (key[0]) {
        case DELETE -> new Entry(hlc, keyIn(key), told, 0);
        case UNDONE_KEY -> new Entry(hlc, keyIn(key), null, ByteBuffer.wrap(told).getLong());
        default -> new Entry(hlc, null, null, ByteBuffer.wrap(told).getLong());
      };
    }

    private static KeyBytes keyIn(byte[] diskKey) {
      return new KeyBytes(Arrays.copyOfRange(diskKey, 1, diskKey.length));
    }

    byte[] diskKey() {
      if (key == null) {
        return new byte[] {UNDONE};
      }
      byte kind = isUndo() ? UNDONE_KEY : DELETE;
      return ByteBuffer.allocate(1 + key.bytes().length).put(kind).put(key.bytes()).array();
    }

    byte @Nullable [] diskValue() {
      return isUndo() ? ByteBuffer.allocate(Long.BYTES).putLong(undoneAfter).array() : upTo;
    }

    boolean isUndo() {
      return upTo == null;
    }

    Delete delete() {
      return new Delete(hlc, VectorClock.readFrom(ByteBuffer.wrap(Objects.requireNonNull(upTo))));
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

  /** Likewise of a restore in which each key went back to its own cut. */
  void undone(long hlc, InStore cuts) {
    Set<KeyBytes> keys = new LinkedHashSet<>();
    for (Entry entry : entries) {
      KeyBytes key = entry.key();
      if (key != null && !entry.isUndo() && entry.hlc() > cuts.of(key)) {
        keys.add(key);
      }
    }
    keys.forEach(key -> keep(new Entry(hlc, key, null, cuts.of(key))));
  }

  /** The cut of each key. */
  @FunctionalInterface
  interface InStore {
    long of(KeyBytes key);
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

  /** Those after {@code since} that stand on their keys' cuts, by key. */
  Map<KeyBytes, List<Delete>> standingAt(InStore cuts, long since) {
    Map<KeyBytes, List<Delete>> standing = new LinkedHashMap<>();
    for (Entry entry : entries) {
      KeyBytes key = entry.key();
      if (key == null) {
        standing.forEach((each, deletes) -> takeBack(deletes, entry, cuts.of(each)));
      } else if (entry.isUndo()) {
        takeBack(standing.getOrDefault(key, new ArrayList<>()), entry, cuts.of(key));
      } else if (entry.hlc() > since && entry.hlc() <= cuts.of(key)) {
        standing.computeIfAbsent(key, k -> new ArrayList<>()).add(entry.delete());
      }
    }
    standing.values().removeIf(List::isEmpty);
    return standing;
  }

  /** What a restore undid does not stand after it; before it, it does. */
  private static void takeBack(List<Delete> deletes, Entry restore, long cut) {
    if (restore.hlc() <= cut) {
      deletes.removeIf(delete -> delete.hlc() > restore.undoneAfter());
    }
  }
}

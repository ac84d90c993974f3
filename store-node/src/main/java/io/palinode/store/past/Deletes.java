package io.palinode.store.past;

import io.palinode.retroscope.WindowLog;
import io.palinode.store.engine.KeyBytes;
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
 * The deletes that one store accepted first, as far back as its window-log reaches. The log has the
 * removed versions, but not the mark of the delete. Bounded by bytes: the oldest deletes are
 * dropped, and then cover nothing. Use under the node's write lock, except {@link #bytes}.
 *
 * <p>On disk it is a window-log with these changes:
 *
 * <pre>
 * | 0 u8 | key |, mark ({@link RecordRules})  a delete
 * | 1 u8 |,       undone after, i64    a restore, big-endian
 * | 2 u8 | key |, undone after, i64    a restore of this key
 * </pre>
 *
 * <p>Any other first number is read as a restore of all keys. Earlier releases read 2 so. Safe: a
 * delete that counts as undone covers nothing, so no version is lost.
 */
public final class Deletes {
  /** Bytes of an entry's objects, without its key and mark. */
  public static final int ENTRY_BYTES = 112;

  private static final byte DELETE = 0;
  private static final byte UNDONE = 1;
  private static final byte UNDONE_KEY = 2;

  private final long bytesMax;
  private final Runnable onForgotten;
  private final @Nullable WindowLog disk;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param onForgotten runs for each entry that is dropped for lack of room
   * @param disk has the deletes of earlier runs; null if there is none
   */
  public Deletes(long bytesMax, Runnable onForgotten, @Nullable WindowLog disk) {
    this.bytesMax = bytesMax;
    this.onForgotten = onForgotten;
    this.disk = disk;
    if (disk != null) {
      disk.forEachBetween(
          disk.reach(), Long.MAX_VALUE, (hlc, key, value) -> add(Entry.of(hlc, key, value)));
    }
  }

  /** A delete with its mark, first accepted at {@code hlc}. */
  public record Delete(long hlc, KeyBytes mark) {}

  /**
   * A delete of {@code key} with a mark. Without a mark: a restore at {@code hlc} that undid the
   * changes after {@code undoneAfter}, of one key or of all.
   */
  private record Entry(long hlc, @Nullable KeyBytes key, byte @Nullable [] mark, long undoneAfter) {
    static Entry of(long hlc, byte[] key, byte @Nullable [] value) {
      byte[] content = Objects.requireNonNull(value);
      return switch (key[0]) {
        case DELETE -> new Entry(hlc, keyIn(key), content, 0);
        case UNDONE_KEY -> new Entry(hlc, keyIn(key), null, ByteBuffer.wrap(content).getLong());
        default -> new Entry(hlc, null, null, ByteBuffer.wrap(content).getLong());
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
      return isUndo() ? ByteBuffer.allocate(Long.BYTES).putLong(undoneAfter).array() : mark;
    }

    boolean isUndo() {
      return mark == null;
    }

    Delete delete() {
      return new Delete(hlc, new KeyBytes(Objects.requireNonNull(mark)));
    }

    int bytes() {
      return ENTRY_BYTES
          + (key == null ? 0 : key.bytes().length)
          + (mark == null ? 0 : mark.length);
    }
  }

  public void add(long hlc, byte[] key, byte[] mark) {
    keep(new Entry(hlc, new KeyBytes(key), mark, 0));
  }

  /**
   * Lists a restore to {@code target} at {@code hlc}. Keeps the deletes: a later restore may undo
   * this one.
   */
  public void undone(long hlc, long target) {
    if (!entries.isEmpty()) {
      keep(new Entry(hlc, null, null, target));
    }
  }

  /** Lists a restore that gave each key its own cut. */
  public void undone(long hlc, InStore cuts) {
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
  public interface InStore {
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

  /** Drops all entries up to {@code reach}, the reach of the window-log. */
  public void forgetUpTo(long reach) {
    while (!entries.isEmpty() && entries.getFirst().hlc() <= reach) {
      removeFirst();
    }
  }

  private void removeFirst() {
    bytes.addAndGet(-entries.removeFirst().bytes());
  }

  /** Bytes of memory, approximately. Thread-safe. */
  public long bytes() {
    return bytes.get();
  }

  /** Bytes on disk. Thread-safe. */
  long diskBytes() {
    return disk == null ? 0 : disk.diskBytes();
  }

  /** Ends the log on disk in order; see {@link WindowLog#close}. */
  void close() {
    if (disk != null) {
      disk.close();
    }
  }

  /** The deletes after {@code since} that stand on their keys' cuts, by key. */
  public Map<KeyBytes, List<Delete>> standingAt(InStore cuts, long since) {
    Map<KeyBytes, List<Delete>> standing = new LinkedHashMap<>();
    for (Entry entry : entries) {
      KeyBytes key = entry.key();
      if (key == null) {
        standing.forEach((each, deletes) -> removeUndone(deletes, entry, cuts.of(each)));
      } else if (entry.isUndo()) {
        removeUndone(standing.getOrDefault(key, new ArrayList<>()), entry, cuts.of(key));
      } else if (entry.hlc() > since && entry.hlc() <= cuts.of(key)) {
        standing.computeIfAbsent(key, k -> new ArrayList<>()).add(entry.delete());
      }
    }
    standing.values().removeIf(List::isEmpty);
    return standing;
  }

  /** Removes the deletes that a restore undid, if it came before the cut. */
  private static void removeUndone(List<Delete> deletes, Entry restore, long cut) {
    if (restore.hlc() <= cut) {
      deletes.removeIf(delete -> delete.hlc() > restore.undoneAfter());
    }
  }
}

package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.Cursor;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Some of the keys of a store that differ between two points, in order.
 *
 * @param end all keys up to this one are compared; null: all keys
 */
public record DifferencePage(List<Difference> keys, byte @Nullable [] end) {
  /** A page is done when so many keys are compared, or so many bytes differ. */
  private static final int COMPARED_MAX = 100_000;

  private static final int BYTES_MAX = 1 << 20;

  public DifferencePage {
    keys = List.copyOf(keys);
  }

  /** A key, and what it had; null: it was absent. */
  public record Difference(byte[] key, byte @Nullable [] before, byte @Nullable [] after) {}

  static DifferencePage between(Pointed before, Pointed after, byte @Nullable [] behind) {
    Cursor from = new Cursor(before::page, behind);
    Cursor to = new Cursor(after::page, behind);
    Collected found = new Collected();
    byte[] key = null;
    for (int compared = 0; from.current() != null || to.current() != null; compared++) {
      if (compared == COMPARED_MAX || found.isFull()) {
        return new DifferencePage(found.keys, key);
      }
      byte[] next = least(from.current(), to.current());
      byte[] end = earlier(before.end(), after.end());
      if (end != null && Arrays.compareUnsigned(next, end) > 0) {
        return new DifferencePage(found.keys, end);
      }
      key = next;
      found.compare(key, take(from, key), take(to, key));
    }
    return new DifferencePage(found.keys, earlier(before.end(), after.end()));
  }

  /** Of two times; only what has changed between them is looked at. */
  static DifferencePage ofTimes(
      History history,
      String store,
      long before,
      long after,
      byte @Nullable [] behind,
      long heapBytesMax) {
    boolean isForward = before <= after;
    long early = Math.min(before, after);
    long late = Math.max(before, after);
    Change change = Change.between(history, store, early, late, behind, heapBytesMax);
    Collected found = new Collected();
    for (Map.Entry<byte[], Change.Two> one : change.byKey().entrySet()) {
      Change.Two had = one.getValue();
      found.compare(
          one.getKey(),
          isForward ? had.before() : had.after(),
          isForward ? had.after() : had.before());
      if (found.isFull()) {
        return new DifferencePage(found.keys, one.getKey());
      }
    }
    return new DifferencePage(found.keys, change.end());
  }

  /** What differs, up to the bytes that a page may have. */
  private static final class Collected {
    private final List<Difference> keys = new ArrayList<>();
    private long bytes;

    void compare(byte[] key, byte @Nullable [] before, byte @Nullable [] after) {
      if (!Arrays.equals(before, after)) {
        keys.add(new Difference(key, before, after));
        bytes += key.length + length(before) + length(after);
      }
    }

    boolean isFull() {
      return bytes >= BYTES_MAX;
    }
  }

  private static byte @Nullable [] earlier(byte @Nullable [] one, byte @Nullable [] other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Arrays.compareUnsigned(one, other) <= 0 ? one : other;
  }

  private static byte[] least(@Nullable Entry one, @Nullable Entry other) {
    if (one == null || other == null) {
      Entry there = one == null ? other : one;
      return there == null ? new byte[0] : there.key();
    }
    return Arrays.compareUnsigned(one.key(), other.key()) <= 0 ? one.key() : other.key();
  }

  private static byte @Nullable [] take(Cursor cursor, byte[] key) {
    Entry entry = cursor.current();
    if (entry == null || !Arrays.equals(entry.key(), key)) {
      return null;
    }
    cursor.advance();
    return entry.record();
  }

  private static int length(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}

package io.palinode.retroscope.snapshot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    List<Difference> found = new ArrayList<>();
    long bytes = 0;
    byte[] key = null;
    for (int compared = 0; from.current() != null || to.current() != null; compared++) {
      if (compared == COMPARED_MAX || bytes >= BYTES_MAX) {
        return new DifferencePage(found, key);
      }
      key = least(from.current(), to.current());
      byte[] old = take(from, key);
      byte[] fresh = take(to, key);
      if (!Arrays.equals(old, fresh)) {
        found.add(new Difference(key, old, fresh));
        bytes += key.length + length(old) + length(fresh);
      }
    }
    return new DifferencePage(found, null);
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

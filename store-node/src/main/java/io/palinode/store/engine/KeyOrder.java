package io.palinode.store.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Sorts many keys by their unsigned bytes. Keeps the first differing bytes in one array, since
 * fetching two keys for each comparison is slow.
 */
public final class KeyOrder {
  private KeyOrder() {}

  /**
   * @param prefix the bytes after the common start of all keys, with the sign bit flipped
   */
  private record Placed<T>(long prefix, byte[] key, T of) {}

  /** A new list. */
  public static <T> List<T> sorted(Collection<T> all, Function<T, byte[]> keyOf) {
    List<Placed<T>> placed = new ArrayList<>(all.size());
    int common = common(all, keyOf);
    for (T one : all) {
      byte[] key = keyOf.apply(one);
      placed.add(new Placed<>(prefix(key, common), key, one));
    }
    placed.sort(
        Comparator.<Placed<T>>comparingLong(Placed::prefix)
            .thenComparing(Placed::key, Arrays::compareUnsigned));
    List<T> sorted = new ArrayList<>(placed.size());
    placed.forEach(one -> sorted.add(one.of()));
    return sorted;
  }

  /** The number of bytes with which all keys begin. */
  private static <T> int common(Collection<T> all, Function<T, byte[]> keyOf) {
    byte[] first = null;
    int common = 0;
    for (T one : all) {
      byte[] key = keyOf.apply(one);
      if (first == null) {
        first = key;
        common = key.length;
      } else {
        int differs = Arrays.mismatch(first, 0, common, key, 0, Math.min(common, key.length));
        common = differs < 0 ? Math.min(common, key.length) : differs;
      }
    }
    return common;
  }

  /** Keys that are shorter come first, or are equal in it. */
  private static long prefix(byte[] key, int from) {
    long prefix = 0;
    for (int i = from; i < from + Long.BYTES; i++) {
      prefix = prefix << Byte.SIZE | (i < key.length ? key[i] & 0xFF : 0);
    }
    return prefix ^ Long.MIN_VALUE;
  }
}

package io.palinode.store.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Sorts many keys by their unsigned bytes. Sorts their first differing bits and their numbers as
 * one array of longs, since fetching two keys for each comparison is slow.
 */
public final class KeyOrder {
  private KeyOrder() {}

  /** A new list. */
  public static <T> List<T> sorted(Collection<T> all, Function<T, byte[]> keyOf) {
    List<T> unsorted = new ArrayList<>(all);
    int common = common(unsorted, keyOf);
    long numberMask = (1L << (Integer.SIZE - Integer.numberOfLeadingZeros(unsorted.size()))) - 1;
    long[] placed = new long[unsorted.size()];
    for (int i = 0; i < placed.length; i++) {
      placed[i] = (prefix(keyOf.apply(unsorted.get(i)), common) & ~numberMask) | i;
    }
    Arrays.sort(placed);
    List<T> sorted = new ArrayList<>(placed.length);
    for (long place : placed) {
      sorted.add(unsorted.get((int) (place & numberMask)));
    }
    sortEqual(sorted, placed, numberMask, Comparator.comparing(keyOf, Arrays::compareUnsigned));
    return sorted;
  }

  /** Sorts each run of keys whose places differ in their numbers only. */
  private static <T> void sortEqual(
      List<T> sorted, long[] placed, long numberMask, Comparator<T> byKey) {
    int from = 0;
    for (int end = 1; end <= placed.length; end++) {
      if (end == placed.length || ((placed[end] ^ placed[from]) & ~numberMask) != 0) {
        if (end - from > 1) {
          sorted.subList(from, end).sort(byKey);
        }
        from = end;
      }
    }
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

  /**
   * The bytes from {@code from}, with the sign bit flipped. Keys that are shorter come first, or
   * are equal in it.
   */
  private static long prefix(byte[] key, int from) {
    long prefix = 0;
    for (int i = from; i < from + Long.BYTES; i++) {
      prefix = prefix << Byte.SIZE | (i < key.length ? key[i] & 0xFF : 0);
    }
    return prefix ^ Long.MIN_VALUE;
  }
}

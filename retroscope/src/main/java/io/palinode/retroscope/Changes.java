package io.palinode.retroscope;

import io.palinode.retroscope.Segment.Part;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * References to the first change of each key in an interval: the part in the upper 24 bits, the
 * place in it in the lower 40.
 */
final class Changes {
  private static final int PLACE_BITS = 40;
  private static final long PLACE_MASK = (1L << PLACE_BITS) - 1;

  private final List<Part> parts;
  private final BitSet seen = new BitSet();
  private long[] references = new long[64];
  private int[] keyNumbers = new int[64];
  private int size;
  private long entries;

  private Changes(List<Part> parts) {
    this.parts = parts;
  }

  /** The keys that change in {@code (start, end]}. */
  static Changes between(long start, long end, List<Part> parts, KeyNumbers numbers) {
    Changes changes = new Changes(parts);
    changes.collect(start, end, numbers, null);
    return changes;
  }

  /** Those of the same keys that change after {@code end} too. */
  Changes after(long end, KeyNumbers numbers) {
    Changes later = new Changes(parts);
    later.collect(end, Long.MAX_VALUE, numbers, seen);
    return later;
  }

  private void collect(long start, long end, KeyNumbers numbers, @Nullable BitSet only) {
    Cursor entry = new Cursor();
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      numbers.enter(part);
      entry.open(part, start);
      while (entry.next() && entry.hlc() <= end) {
        if (entry.hlc() > start) {
          entries++;
          int number = numbers.of(entry);
          if (!seen.get(number) && (only == null || only.get(number))) {
            seen.set(number);
            add((long) i << PLACE_BITS | entry.place(), number);
          }
        }
      }
    }
  }

  private void add(long reference, int keyNumber) {
    if (size == references.length) {
      references = Arrays.copyOf(references, 2 * size);
      keyNumbers = Arrays.copyOf(keyNumbers, 2 * size);
    }
    references[size] = reference;
    keyNumbers[size] = keyNumber;
    size++;
  }

  int size() {
    return size;
  }

  long entries() {
    return entries;
  }

  boolean hasKeyOf(Changes others, int index) {
    return seen.get(others.keyNumbers[index]);
  }

  /** Puts {@code entry} at one of them. */
  void moveTo(int index, Cursor entry) {
    long reference = references[index];
    entry.moveTo(parts.get((int) (reference >>> PLACE_BITS)), reference & PLACE_MASK);
  }
}

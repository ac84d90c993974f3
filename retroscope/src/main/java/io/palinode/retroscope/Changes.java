package io.palinode.retroscope;

import io.palinode.retroscope.segment.Cursor;
import io.palinode.retroscope.segment.KeyDictionary;
import io.palinode.retroscope.segment.KeyNumbers;
import io.palinode.retroscope.segment.LongList;
import io.palinode.retroscope.segment.Segment.Part;
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
  private final LongList references = new LongList();
  private final LongList keyNumbers = new LongList();
  private final boolean keepsNumbers;
  private final KeyDictionary.Batch batch = new KeyDictionary.Batch();
  private final int[] batchNumbers = new int[KeyDictionary.Batch.KEYS_MAX];
  private final @Nullable Walk walk;
  private long entries;
  private long end;
  private long lastHlc;

  private Changes(List<Part> parts, boolean keepsNumbers, @Nullable Walk walk) {
    this.parts = parts;
    this.keepsNumbers = keepsNumbers;
    this.walk = walk;
  }

  /**
   * The keys that change in {@code (start, end]}.
   *
   * @param walk knows some keys already, and when a step ends early; null: this is no step
   */
  static Changes between(
      long start, long end, List<Part> parts, KeyNumbers numbers, @Nullable Walk walk) {
    Changes changes = new Changes(parts, false, walk);
    changes.collect(start, end, numbers, null);
    return changes;
  }

  /** The same, comparable: it can then find which of its keys other changes have. */
  static Changes comparable(long start, long end, List<Part> parts, KeyNumbers numbers) {
    Changes changes = new Changes(parts, true, null);
    changes.collect(start, end, numbers, null);
    return changes;
  }

  /** Those of the same keys that change after {@code end} too. */
  Changes after(long end, KeyNumbers numbers) {
    Changes later = new Changes(parts, false, null);
    later.collect(end, Long.MAX_VALUE, numbers, seen);
    return later;
  }

  private void collect(long start, long until, KeyNumbers numbers, @Nullable BitSet only) {
    end = until;
    Cursor entry = new Cursor();
    for (int i = 0; i < parts.size() && parts.get(i).segment().base() <= end; i++) {
      Part part = parts.get(i);
      long after = Math.max(start, part.after());
      numbers.enter(part);
      entry.open(part, after);
      if (numbers.asksForBatches()) {
        collectBatches(after, part.upTo(), (long) i << PLACE_BITS, entry, numbers, only);
      } else {
        collectNumbered(after, part, (long) i << PLACE_BITS, entry, numbers, only);
      }
    }
  }

  private void collectNumbered(
      long start,
      Part part,
      long partBits,
      Cursor entry,
      KeyNumbers numbers,
      @Nullable BitSet only) {
    BitSet found = walk == null ? null : walk.found(part.segment());
    while (entry.next() && isWithin(entry.hlc(), part.upTo())) {
      if (entry.hlc() > start) {
        if (found == null) {
          add(partBits | entry.place(), numbers.of(entry), only);
        } else if (found.get(entry.keyNumber())) {
          entries++;
        } else {
          found.set(entry.keyNumber());
          add(partBits | entry.place(), numbers.of(entry), only);
        }
      }
    }
  }

  private void collectBatches(
      long start,
      long partEnd,
      long partBits,
      Cursor entry,
      KeyNumbers numbers,
      @Nullable BitSet only) {
    long[] places = new long[KeyDictionary.Batch.KEYS_MAX];
    boolean more = true;
    while (more) {
      batch.clear();
      while (!batch.isFull() && more) {
        more = entry.next() && isWithin(entry.hlc(), partEnd);
        if (more && entry.hlc() > start) {
          places[batch.size()] = partBits | entry.place();
          batch.add(entry.keyAt(), entry.keyLength());
        }
      }
      numbers.of(entry.bytes(), batch, batchNumbers);
      for (int i = 0; i < batch.size(); i++) {
        add(places[i], batchNumbers[i], only);
      }
    }
  }

  /** A step ends early between two times, not among the entries of one. */
  private boolean isWithin(long hlc, long partEnd) {
    if (walk != null && walk.isEnough(size(), entries)) {
      end = Math.min(end, lastHlc);
    }
    lastHlc = hlc;
    return hlc <= end && hlc <= partEnd;
  }

  private void add(long reference, int keyNumber, @Nullable BitSet only) {
    entries++;
    if (!seen.get(keyNumber) && (only == null || only.get(keyNumber))) {
      seen.set(keyNumber);
      references.add(reference);
      if (keepsNumbers) {
        keyNumbers.add(keyNumber);
      }
    }
  }

  int size() {
    return references.size();
  }

  long entries() {
    return entries;
  }

  /** All changes up to here are among them: what was asked for, or less in a step of a walk. */
  long end() {
    return end;
  }

  boolean hasKeyOf(Changes others, int index) {
    return seen.get((int) others.keyNumbers.get(index));
  }

  /** Puts {@code entry} at one of them. */
  void moveTo(int index, Cursor entry) {
    long reference = references.get(index);
    entry.moveTo(parts.get((int) (reference >>> PLACE_BITS)), reference & PLACE_MASK);
  }
}

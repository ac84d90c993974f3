package io.palinode.retroscope;

import io.palinode.retroscope.segment.KeyGeneration;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Segment.Part;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a log in the order of time: interned ones, then sealed ones that are still to be
 * interned, then the one that is appended to. All under the log's lock.
 */
final class Segments {
  /** So many that were dropped are kept to be used again. */
  static final int SPARE_MAX = 2;

  private final LogLayout layout;
  private final ArrayDeque<Segment> interned = new ArrayDeque<>();
  private final ArrayDeque<Segment> appended = new ArrayDeque<>();
  private final ArrayDeque<Segment> spare = new ArrayDeque<>();
  private @Nullable Segment active;
  private long bytes;

  Segments(LogLayout layout) {
    this.layout = layout;
  }

  /** The one that is appended to, null before the first entry. */
  @Nullable Segment active() {
    return active;
  }

  /** A new one to append to, of at least {@code size} bytes. Seals the one before. */
  Segment roll(long size, long lastHlc) {
    Segment next =
        size > layout.segmentBytes()
            ? new Segment(layout.memory().apply(Math.toIntExact(size)), false)
            : take();
    next.begin(lastHlc, null);
    appended.addLast(next);
    active = next;
    bytes += next.capacity();
    return next;
  }

  /** An unused segment, to be begun. */
  Segment take() {
    Segment used = spare.pollLast();
    return used != null ? used : new Segment(layout.memory().apply(layout.segmentBytes()), true);
  }

  /** How many are sealed and not interned. */
  int sealed() {
    return Math.max(0, appended.size() - 1);
  }

  int size() {
    return interned.size() + appended.size();
  }

  Segment first() {
    return interned.isEmpty() ? appended.getFirst() : interned.getFirst();
  }

  long bytes() {
    return bytes;
  }

  /** Drops the earliest. */
  Segment dropFirst() {
    Segment dropped = interned.isEmpty() ? appended.removeFirst() : interned.removeFirst();
    bytes -= dropped.capacity();
    KeyGeneration generation = dropped.generation();
    if (generation != null) {
      bytes -= generation.removed();
    }
    retire(dropped);
    return dropped;
  }

  /** The earliest sealed segment, pinned; null: there is none. */
  @Nullable Segment pinSealed() {
    if (sealed() == 0) {
      return null;
    }
    Segment sealed = appended.getFirst();
    sealed.pin();
    return sealed;
  }

  /** The last interned segment, pinned; null: there is none. */
  @Nullable Segment pinTail() {
    Segment tail = interned.peekLast();
    if (tail != null) {
      tail.pin();
    }
    return tail;
  }

  /** A segment that holds one great entry stays as it is. */
  void keep(Segment sealed) {
    if (appended.peekFirst() == sealed) {
      interned.addLast(appended.removeFirst());
    }
  }

  /**
   * Puts what {@code sealed} holds, now written to the last interned segment and to {@code fresh},
   * in its place. Not if that or {@code tail} was dropped meanwhile: it would be lost with it, so
   * what is still there is to be written again.
   */
  void replace(Segment sealed, @Nullable Segment tail, List<Segment> fresh, KeyGeneration keys) {
    if (appended.peekFirst() != sealed || (tail != null && tail.isDropped())) {
      fresh.forEach(this::retire);
      return;
    }
    if (tail != null) {
      tail.publish();
    }
    for (Segment each : fresh) {
      each.publish();
      interned.addLast(each);
      keys.added();
      bytes += each.capacity();
    }
    bytes += keys.publish() - appended.removeFirst().capacity();
    retire(sealed);
  }

  /** Those that have entries in {@code (start, end]}, pinned. */
  List<Part> pin(long start, long end) {
    List<Part> parts = new ArrayList<>();
    if (pinBackwards(appended.descendingIterator(), start, end, parts)) {
      pinBackwards(interned.descendingIterator(), start, end, parts);
    }
    Collections.reverse(parts);
    return parts;
  }

  private static boolean pinBackwards(
      Iterator<Segment> latestFirst, long start, long end, List<Part> parts) {
    while (latestFirst.hasNext()) {
      Segment segment = latestFirst.next();
      if (segment.lastHlc() <= start) {
        return false;
      }
      if (segment.base() <= end) {
        segment.pin();
        parts.add(segment.part());
      }
    }
    return true;
  }

  void unpin(Segment segment) {
    segment.unpin();
    recycle(segment);
  }

  private void retire(Segment segment) {
    segment.drop();
    recycle(segment);
  }

  private void recycle(Segment segment) {
    if (segment.isFree() && spare.size() < SPARE_MAX) {
      spare.addLast(segment);
    }
  }
}

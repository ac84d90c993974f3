package io.palinode.retroscope;

import io.palinode.hvc.Hlc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The recent past of one store: for each change its time and the value that the key had before.
 * Bounded by age and by bytes; what no longer fits is dropped a segment at a time, and {@link
 * #reach} moves up. (Retroscope, §III.)
 *
 * <p>Thread-safe. An append costs a copy of key and old value; a diff reads the segments that reach
 * past its target, without holding up appends.
 */
public final class WindowLog {
  /**
   * A little under a power of two: with its header, an array of a full G1 region would take two.
   */
  static final int SEGMENT_BYTES = (256 << 10) - 64;

  private final WindowLogConfig config;
  private final ArrayDeque<Segment> segments = new ArrayDeque<>();
  private long reach;
  private long lastHlc;
  private long bytes;

  /** A log that begins at {@code openedAt}: no earlier time can be reached. */
  public WindowLog(WindowLogConfig config, long openedAt) {
    this.config = config;
    this.reach = openedAt;
    this.lastHlc = openedAt;
  }

  /**
   * Records that at {@code hlc} the value of {@code key} stopped being {@code oldValue} (null: it
   * was absent). Throws {@link IllegalArgumentException} when {@code hlc} is before the last one:
   * the log is in order, or it is worth nothing.
   */
  public synchronized void append(long hlc, byte[] key, byte @Nullable [] oldValue) {
    if (hlc < lastHlc) {
      throw new IllegalArgumentException(
          "entries must be in the order of time: hlc=%s last=%s"
              .formatted(Hlc.format(hlc), Hlc.format(lastHlc)));
    }
    int size = Segment.bytesMax(key, oldValue);
    Segment segment = segments.peekLast();
    if (segment == null || !segment.hasRoomFor(size)) {
      segment = new Segment(Math.max(SEGMENT_BYTES, size), lastHlc);
      segments.addLast(segment);
      bytes += segment.capacity();
    }
    segment.append(hlc, key, oldValue);
    lastHlc = hlc;
    trim();
  }

  /** The earliest time that can be reached. */
  public synchronized long reach() {
    return reach;
  }

  /** The memory that the log holds, in bytes. */
  public synchronized long bytes() {
    return bytes;
  }

  /**
   * The keys that changed after {@code target}, with their values at {@code target}. Throws {@link
   * OutOfReachException} when {@code target} is before {@link #reach}. O(changes in the segments
   * that reach past the target).
   */
  public Diff diffTo(long target) {
    return diffBetween(target, Long.MAX_VALUE);
  }

  /**
   * The keys that changed in {@code (start, end]}, with their values at {@code start}. Throws like
   * {@link #diffTo}.
   */
  public Diff diffBetween(long start, long end) {
    if (start > end) {
      throw new IllegalArgumentException(
          "a difference starts before it ends: start=%s end=%s"
              .formatted(Hlc.format(start), Hlc.format(end)));
    }
    Map<Slice, Slice> oldByKey = new LinkedHashMap<>();
    long entries = 0;
    for (Pinned pinned : pin(start)) {
      entries += pinned.segment.collect(pinned.used, start, end, oldByKey);
    }
    return new Diff(oldByKey, entries);
  }

  /**
   * Visits each change in {@code (start, end]}, in order. Throws like {@link #diffTo}. Reads the
   * same segments as a diff.
   */
  public void forEachBetween(long start, long end, ChangeVisitor visitor) {
    for (Pinned pinned : pin(start)) {
      pinned.segment.forEach(
          pinned.used,
          start,
          end,
          (hlc, key, old) -> visitor.visit(hlc, key.copy(), old.isAbsent() ? null : old.copy()));
    }
  }

  /** Sees the changes. */
  @FunctionalInterface
  public interface ChangeVisitor {
    /** {@code old} is null when the key was absent before. */
    void visit(long hlc, byte[] key, byte @Nullable [] old);
  }

  /** A segment and how much of it was filled when the diff began. */
  private record Pinned(Segment segment, int used) {}

  private synchronized List<Pinned> pin(long start) {
    if (start < reach) {
      throw new OutOfReachException(start, reach, lastHlc);
    }
    List<Pinned> pinned = new ArrayList<>();
    for (Segment segment : segments) {
      if (segment.lastHlc() > start) {
        pinned.add(new Pinned(segment, segment.used()));
      }
    }
    return pinned;
  }

  private void trim() {
    long oldest = lastHlc - Math.min(lastHlc, ageMaxHlc());
    while (segments.size() > 1
        && (bytes > config.bytesMax() || segments.getFirst().lastHlc() < oldest)) {
      Segment dropped = segments.removeFirst();
      bytes -= dropped.capacity();
      reach = dropped.lastHlc();
    }
  }

  private long ageMaxHlc() {
    return Hlc.ofMicros(Math.min(Hlc.MICROS_MAX, config.ageMax().toNanos() / 1_000));
  }
}

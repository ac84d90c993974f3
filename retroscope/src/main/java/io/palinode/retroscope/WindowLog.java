package io.palinode.retroscope;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.Diff.Known;
import io.palinode.retroscope.Interning.Rewritten;
import io.palinode.retroscope.Segment.Part;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The recent past of one store: for each change its time and the value that the key had before.
 * Bounded by age and by bytes; what no longer fits is dropped a segment at a time, and {@link
 * #reach} moves up. (Retroscope, §III.)
 *
 * <p>An append copies key and old value into a segment, which lies outside of the heap. When the
 * segment is full, its keys are replaced by numbers: by the {@code executor}, or else by the append
 * that fills the next one. A diff compares numbers, not keys, and is a view. (ADR 0008 has the
 * measurements.)
 *
 * <p>Thread-safe. The lock is held for an append, for dropping a segment and for taking hold of
 * segments that are to be read, never while they are read or rewritten. While a diff is made
 * nothing is rewritten, and appends go on.
 */
public final class WindowLog {
  static final int SEGMENT_BYTES = 256 << 10;

  /** Below so many segments, numbers are not worth the memory that the keys would hold. */
  private static final int SEGMENTS_MIN_TO_INTERN = 16;

  private final WindowLogConfig config;
  private final Layout layout;
  private final Executor executor;
  private final Segments segments;
  private final Interning interning;
  private final ReentrantReadWriteLock rewriting = new ReentrantReadWriteLock();
  private final Runnable internSealed = this::internSealed;
  private final long ageMaxHlc;
  private long reach;
  private long lastHlc;

  /**
   * Where entries lie.
   *
   * @param generationBytes after so many the keys are numbered anew; 0: they never are numbered
   */
  record Layout(int segmentBytes, long generationBytes, IntFunction<ByteBuffer> memory) {
    boolean interns() {
      return generationBytes > 0;
    }

    /**
     * How much of a segment is appended to. What is to be rewritten is better little: keys without
     * a number make a diff slow, and it stays in the processor's cache.
     */
    int appendBytes() {
      return interns() ? segmentBytes / 4 : segmentBytes;
    }

    Layout {
      if (segmentBytes < 64 || segmentBytes > Segment.BYTES_MAX) {
        throw new IllegalArgumentException(
            "segmentBytes must be in [64, "
                + Segment.BYTES_MAX
                + "]: segmentBytes="
                + segmentBytes);
      }
    }

    static Layout of(WindowLogConfig config) {
      boolean interns = config.bytesMax() >= (long) SEGMENTS_MIN_TO_INTERN * SEGMENT_BYTES;
      return new Layout(SEGMENT_BYTES, interns ? config.bytesMax() : 0, ByteBuffer::allocateDirect);
    }
  }

  /** A log that begins at {@code openedAt}: no earlier time can be reached. */
  public WindowLog(WindowLogConfig config, long openedAt) {
    this(config, openedAt, Runnable::run);
  }

  /** Like the other, but full segments are rewritten by {@code executor}, not by appends. */
  public WindowLog(WindowLogConfig config, long openedAt, Executor executor) {
    this(config, openedAt, executor, Layout.of(config));
  }

  WindowLog(WindowLogConfig config, long openedAt, Executor executor, Layout layout) {
    this.config = config;
    this.layout = layout;
    this.executor = executor;
    this.segments = new Segments(layout);
    this.ageMaxHlc = Hlc.ofMicros(Math.min(Hlc.MICROS_MAX, micros(config)));
    this.interning = new Interning(layout, ageMaxHlc);
    this.reach = openedAt;
    this.lastHlc = openedAt;
  }

  private static long micros(WindowLogConfig config) {
    return config.ageMax().toSeconds() >= Hlc.MICROS_MAX / 1_000_000
        ? Hlc.MICROS_MAX
        : config.ageMax().toNanos() / 1_000;
  }

  /**
   * Records that at {@code hlc} the value of {@code key} stopped being {@code oldValue} (null: it
   * was absent). Throws {@link IllegalArgumentException} when {@code hlc} is before the last one:
   * the log is in order, or it is worth nothing. Allocates nothing once the window is full, apart
   * from what rewriting full segments needs for the keys of each generation.
   */
  public void append(long hlc, byte[] key, byte @Nullable [] oldValue) {
    boolean sealed;
    synchronized (this) {
      sealed = write(hlc, key, oldValue);
    }
    if (sealed) {
      executor.execute(internSealed);
    }
  }

  /**
   * Like the other, at the time that {@code clock} then tells. It is asked under the log's lock, so
   * no later time of it can be in the log before this one. Returns the time.
   */
  public long append(LongSupplier clock, byte[] key, byte @Nullable [] oldValue) {
    boolean sealed;
    long hlc;
    synchronized (this) {
      hlc = clock.getAsLong();
      sealed = write(hlc, key, oldValue);
    }
    if (sealed) {
      executor.execute(internSealed);
    }
    return hlc;
  }

  /** Returns whether a segment is to be rewritten. */
  private boolean write(long hlc, byte[] key, byte @Nullable [] oldValue) {
    if (hlc < lastHlc) {
      throw new IllegalArgumentException(
          "entries must be in the order of time: hlc=%s last=%s"
              .formatted(Hlc.format(hlc), Hlc.format(lastHlc)));
    }
    long size = Segment.bytesMax(key, oldValue);
    Segment before = segments.active();
    Segment active =
        before != null && before.hasRoomFor(size) && before.used() < layout.appendBytes()
            ? before
            : segments.roll(size, lastHlc);
    active.write(hlc, key, oldValue);
    active.publish();
    lastHlc = hlc;
    trim();
    return active != before && layout.interns() && segments.sealed() > 0;
  }

  private void trim() {
    long oldest = lastHlc - Math.min(lastHlc, ageMaxHlc);
    while (segments.size() > 1
        && (segments.bytes() > config.bytesMax() || segments.first().lastHlc() < oldest)) {
      reach = segments.dropFirst().lastHlc();
    }
  }

  /** The earliest time that can be reached. */
  public synchronized long reach() {
    return reach;
  }

  /** The time of the last entry, or when the log began. */
  public synchronized long last() {
    return lastHlc;
  }

  /**
   * The memory that the log holds, in bytes: within the bound, but for one segment. A few dropped
   * segments that wait to be used again, and what differences hold, come on top.
   */
  public synchronized long bytes() {
    return segments.bytes();
  }

  /**
   * The keys that changed after {@code target}, with their values at {@code target}. Throws {@link
   * OutOfReachException} when {@code target} is before {@link #reach}. O(changes since then).
   */
  public Diff diffTo(long target) {
    return diffBetween(target, Long.MAX_VALUE);
  }

  /**
   * Backward: the keys that changed in {@code (start, end]}, with their values at {@code start}.
   * Throws like {@link #diffTo}. O(changes in between).
   */
  public Diff diffBetween(long start, long end) {
    requireOrder(start, end);
    rewriting.readLock().lock();
    try {
      List<Part> parts = pin(start, end);
      Changes changes = Changes.between(start, end, parts, new KeyNumbers(parts));
      return new Diff(changes, List.of(), changes.entries(), () -> unpin(parts));
    } finally {
      rewriting.readLock().unlock();
    }
  }

  /**
   * Forward: the keys that changed in {@code (start, end]}, with their values at {@code end}. That
   * is what the next change after {@code end} found; for a key without one, {@code present} is
   * asked. It must agree with the log: no write may be stored and not appended, or the reverse,
   * until this returns. Throws like {@link #diffTo}. O(changes after {@code start}).
   */
  public Diff diffForward(long start, long end, PresentValues present) {
    requireOrder(start, end);
    Changes changed;
    Changes later;
    List<Part> parts;
    rewriting.readLock().lock();
    try {
      parts = pin(start, Long.MAX_VALUE);
      KeyNumbers numbers = new KeyNumbers(parts);
      changed = Changes.comparable(start, end, parts, numbers);
      later = changed.after(end, numbers);
    } finally {
      rewriting.readLock().unlock();
    }
    List<Known> unchangedSince = unchangedSince(changed, later, present);
    return new Diff(later, unchangedSince, changed.entries(), () -> unpin(parts));
  }

  private static List<Known> unchangedSince(Changes changed, Changes later, PresentValues present) {
    List<Known> known = new ArrayList<>();
    Cursor entry = new Cursor();
    for (int i = 0; i < changed.size(); i++) {
      if (!later.hasKeyOf(changed, i)) {
        changed.moveTo(i, entry);
        byte[] key = entry.copyKey();
        known.add(new Known(key, present.get(key)));
      }
    }
    return known;
  }

  /** The state of the store as it is now. */
  @FunctionalInterface
  public interface PresentValues {
    /** Null: the key is absent. */
    byte @Nullable [] get(byte[] key);
  }

  /**
   * Visits each change in {@code (start, end]}, in order. Throws like {@link #diffTo}. O(changes in
   * between).
   */
  public void forEachBetween(long start, long end, ChangeVisitor visitor) {
    List<Part> parts = pin(start, end);
    try {
      Cursor entry = new Cursor();
      for (Part part : parts) {
        entry.open(part, start);
        while (entry.next() && entry.hlc() <= end) {
          if (entry.hlc() > start) {
            visitor.visit(entry.hlc(), entry.copyKey(), entry.copyOld());
          }
        }
      }
    } finally {
      unpin(parts);
    }
  }

  /** Sees the changes. */
  @FunctionalInterface
  public interface ChangeVisitor {
    /** {@code old} is null when the key was absent before. */
    void visit(long hlc, byte[] key, byte @Nullable [] old);
  }

  private static void requireOrder(long start, long end) {
    if (start > end) {
      throw new IllegalArgumentException(
          "a difference starts before it ends: start=%s end=%s"
              .formatted(Hlc.format(start), Hlc.format(end)));
    }
  }

  private synchronized List<Part> pin(long start, long end) {
    if (start < reach) {
      throw new OutOfReachException(start, reach, lastHlc);
    }
    return segments.pin(start, end);
  }

  private synchronized void unpin(List<Part> parts) {
    parts.forEach(part -> segments.unpin(part.segment()));
  }

  /** Gives way to diffs, and to another that does the same: what is left waits for the next. */
  private void internSealed() {
    if (!rewriting.writeLock().tryLock()) {
      return;
    }
    try {
      while (internNext()) {
        // Until nothing is left.
      }
    } finally {
      rewriting.writeLock().unlock();
    }
  }

  private boolean internNext() {
    Segment sealed;
    Segment tail;
    Part part;
    synchronized (this) {
      sealed = segments.pinSealed();
      if (sealed == null) {
        return false;
      }
      tail = segments.pinTail();
      part = sealed.part();
    }
    Rewritten rewritten = sealed.isRecyclable() ? interning.rewrite(part, tail, this::take) : null;
    synchronized (this) {
      if (rewritten == null) {
        segments.keep(sealed);
      } else {
        segments.replace(sealed, rewritten.tail(), rewritten.fresh(), rewritten.keys());
      }
      segments.unpin(sealed);
      if (tail != null) {
        segments.unpin(tail);
      }
    }
    return true;
  }

  private synchronized Segment take() {
    return segments.take();
  }
}

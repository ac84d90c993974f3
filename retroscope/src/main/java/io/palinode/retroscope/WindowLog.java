package io.palinode.retroscope;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.Differences.BothWays;
import io.palinode.retroscope.Interning.Rewritten;
import io.palinode.retroscope.disklog.Compaction;
import io.palinode.retroscope.disklog.Compactor;
import io.palinode.retroscope.disklog.DamagedFileException;
import io.palinode.retroscope.disklog.DiskLog;
import io.palinode.retroscope.segment.Segment;
import io.palinode.retroscope.segment.Segment.Part;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The recent past of one store: the HLC of each change, and the value that the key had before it.
 * Bounded by age and bytes: the log drops its oldest segments, and {@link #reach} moves up.
 * (Retroscope, §III.)
 *
 * <p>An append copies key and old value into a segment outside the heap. Keys of a full segment are
 * replaced by numbers: by the {@code executor}, or by the append that fills the next segment. A
 * diff compares numbers and is a view (ADR 0008).
 *
 * <p>With a {@link DiskLog}, each entry is also written to a file, so the log continues after a
 * restart. Reads prefer memory.
 *
 * <p>Thread-safe. The lock is held for an append and to pin or drop segments, not while segments
 * are read or rewritten. During a diff no segment is rewritten, and appends continue.
 */
public final class WindowLog implements AutoCloseable {
  private final WindowLogConfig config;
  private final LogLayout layout;
  private final Executor executor;
  private final Segments segments;
  private final Interning interning;
  private final Differences differences = new Differences();
  private final Runnable internSealed = this::internSealed;
  private final long ageMaxHlc;
  private final @Nullable DiskLog disk;
  private long reach;
  private long lastHlc;

  /** A log that begins at {@code openedAt}: no earlier time can be reached. */
  public WindowLog(WindowLogConfig config, long openedAt) {
    this(config, openedAt, Runnable::run);
  }

  /** Like the other, but full segments are rewritten by {@code executor}, not by appends. */
  public WindowLog(WindowLogConfig config, long openedAt, Executor executor) {
    this(config, openedAt, executor, LogLayout.of(config), null);
  }

  /**
   * Like the other, with {@code disk}, which was begun: the log continues from there. Closing this
   * log closes {@code disk}.
   *
   * @param openedAt not before the last entry of {@code disk}
   */
  public WindowLog(WindowLogConfig config, long openedAt, Executor executor, DiskLog disk) {
    this(config, openedAt, executor, LogLayout.of(config), disk);
  }

  WindowLog(
      WindowLogConfig config,
      long openedAt,
      Executor executor,
      LogLayout layout,
      @Nullable DiskLog disk) {
    if (disk != null && disk.last() > openedAt) {
      throw new IllegalArgumentException(
          "a log must continue after its last entry: openedAt=%s last=%s"
              .formatted(Hlc.format(openedAt), Hlc.format(disk.last())));
    }
    this.config = config;
    this.disk = disk;
    this.layout = layout;
    this.executor = executor;
    this.segments = new Segments(layout);
    this.ageMaxHlc = Compaction.hlc(config.ageMax());
    this.interning = new Interning(layout, ageMaxHlc);
    this.reach = openedAt;
    this.lastHlc = openedAt;
    if (disk != null) {
      disk.goOn(openedAt);
    }
  }

  /**
   * Records that {@code oldValue} of {@code key} was replaced at {@code hlc}; null: the key was
   * absent. Throws {@link IllegalArgumentException} if {@code hlc} is before the last one. Once the
   * window is full, only the rewriting of segments allocates.
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
   * Like the other, at the HLC that {@code clock} returns. Returns that HLC. The log reads the
   * clock under its lock, so entries are in the clock's order.
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
    if (disk != null) {
      disk.append(hlc, lastHlc, key, oldValue);
    }
    lastHlc = hlc;
    trim();
    return active != before && layout.interns() && segments.sealed() > 0;
  }

  private void trim() {
    long oldest = lastHlc - Math.min(lastHlc, ageMaxHlc);
    while (segments.size() > 1
        && (segments.bytes() > config.bytesMax() || segments.first().lastHlc() < oldest)) {
      reach = Math.max(reach, segments.dropFirst().lastHlc());
    }
  }

  /** Begins again: the store changed without entries. Without a log on disk only. */
  public synchronized void beginAgain(long hlc) {
    if (disk != null) {
      throw new IllegalStateException("a log on disk does not begin again");
    }
    reach = Math.max(reach, hlc);
    lastHlc = Math.max(lastHlc, hlc);
  }

  /** The earliest HLC that can be read. */
  public synchronized long reach() {
    return disk == null ? reach : Math.min(reach, disk.reach());
  }

  /**
   * The earliest HLC from which every HLC can be read. Before it, down to {@link #reach}, the log
   * on disk was compacted: only multiples of {@link #granularity} can be read.
   */
  public synchronized long exactReach() {
    return disk == null ? reach : Math.min(reach, disk.exactReach());
  }

  /** The coarsest step of the compacted log; zero: every HLC in reach can be read. */
  public synchronized Duration granularity() {
    long granule = disk == null ? 0 : disk.granuleHlc();
    return Duration.of(Hlc.micros(granule), ChronoUnit.MICROS);
  }

  /**
   * The last HLC at or before {@code hlc} that can be read. Throws {@link OutOfReachException} if
   * there is none.
   */
  public synchronized long floor(long hlc) {
    long floor = hlc >= reach ? hlc : disk == null ? -1 : disk.floor(hlc);
    if (floor < 0) {
      throw new OutOfReachException(hlc, reach(), lastHlc);
    }
    return floor;
  }

  /** The earliest HLC that can be read without the disk. */
  public synchronized long memoryReach() {
    return reach;
  }

  /** The HLC from which all entries are on disk; {@link Long#MAX_VALUE}: none. */
  public synchronized long diskReach() {
    return disk == null ? Long.MAX_VALUE : disk.reach();
  }

  /** The approximate bytes on disk; 0 without a disk log. */
  public synchronized long diskBytes() {
    return disk == null ? 0 : disk.bytes();
  }

  /** Why no entry is written to disk now; null: entries are, or there is no disk log. */
  public synchronized @Nullable String diskFailure() {
    return disk == null ? null : disk.failure();
  }

  /** The HLC of the last entry, or of the begin of the log. */
  public synchronized long last() {
    return lastHlc;
  }

  /**
   * The memory of the log in bytes: within the bound, except for one segment. Diffs and a few
   * dropped segments, kept for reuse, are not counted.
   */
  public synchronized long bytes() {
    return segments.bytes();
  }

  /**
   * The keys that changed after {@code target}, with their values at {@code target}. Throws {@link
   * OutOfReachException} when {@code target} is before {@link #reach}, and {@link
   * UncheckedIOException} when the disk cannot be read at present. O(changes since then).
   */
  public Diff diffTo(long target) {
    return diffBetween(target, Long.MAX_VALUE);
  }

  /**
   * Backward: the keys that changed in {@code (start, end]}, with their values at {@code start}.
   * Throws like {@link #diffTo}. O(changes in between).
   */
  public Diff diffBetween(long start, long end) {
    return step(start, end, null);
  }

  /** As {@link #diffBetween}; may end early if no disk is needed. */
  Diff step(long start, long end, @Nullable Walk walk) {
    requireOrder(start, end);
    Pinned pinned = pin(start, end, () -> {});
    Walk taken = pinned.disk().equals(DiskLog.Pinned.NONE) ? walk : null;
    return orUnpin(
        pinned,
        () -> {
          Changes changes = differences.between(start, end, pinned.parts(), taken);
          return new Diff(changes, List.of(), changes.entries(), () -> unpin(pinned));
        });
  }

  /**
   * Forward: the keys that changed in {@code (start, end]}, with their values at {@code end}: the
   * old value of the next change, or {@code present}. Until this returns, no write may be stored
   * without its entry, or the reverse. Throws like {@link #diffTo}. O(changes after {@code start}).
   */
  public Diff diffForward(long start, long end, PresentValues present) {
    requireOrder(start, end);
    Pinned pinned = pin(start, Long.MAX_VALUE, () -> requireReached(end));
    return orUnpin(
        pinned,
        () -> {
          BothWays found = differences.around(start, end, pinned.parts());
          return found.forward(present, () -> unpin(pinned));
        });
  }

  /** The current values of the store. */
  @FunctionalInterface
  public interface PresentValues {
    /** Null: the key is absent. */
    byte @Nullable [] get(byte[] key);
  }

  /**
   * Visits each change in {@code (start, end]}, in order. Throws like {@link #diffTo}, and if
   * {@code start} is before {@link #exactReach}. O(changes in between).
   */
  public void forEachBetween(long start, long end, ChangeVisitor visitor) {
    visit(pin(start, end, () -> requireExact(start)), start, end, visitor);
  }

  private void requireExact(long start) {
    if (start < exactReach()) {
      throw OutOfReachException.incomplete(start, exactReach());
    }
  }

  /**
   * Visits changes after {@code start}, in order: of each key the first one at least. Throws like
   * {@link #diffTo}. O(changes since).
   */
  public void forFirstChanges(long start, ChangeVisitor visitor) {
    visit(pin(start, Long.MAX_VALUE, () -> {}), start, Long.MAX_VALUE, visitor);
  }

  private void visit(Pinned pinned, long start, long end, ChangeVisitor visitor) {
    try {
      pinned.forEach(start, end, visitor);
    } finally {
      unpin(pinned);
    }
  }

  /** Receives changes. */
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

  /** Runs {@code required} once {@code start} is in reach, under the lock. */
  private Pinned pin(long start, long end, Runnable required) {
    while (true) {
      Pinned pinned = hold(start, end, required);
      try {
        List<Part> parts = new ArrayList<>(pinned.disk().read(start, end));
        parts.addAll(pinned.parts());
        return new Pinned(parts, pinned.memory(), pinned.disk());
      } catch (DamagedFileException damaged) {
        // The reach is now after the damage; the next attempt shows that.
        unpin(pinned);
        lose(damaged);
      } catch (IOException failed) {
        // The cause may be too many open files; then the file is undamaged.
        unpin(pinned);
        throw new UncheckedIOException("the window-log was not read: " + failed, failed);
      } catch (RuntimeException | Error e) {
        unpin(pinned);
        throw e;
      }
    }
  }

  /** Pins segments in memory, and files only for entries that memory does not hold. */
  private synchronized Pinned hold(long start, long end, Runnable required) {
    requireReached(start);
    required.run();
    long from = Math.max(start, reach);
    List<Part> parts = new ArrayList<>();
    List<Segment> memory = new ArrayList<>();
    if (from <= end) {
      for (Part part : segments.pin(from, end)) {
        parts.add(part.within(from, Long.MAX_VALUE));
        memory.add(part.segment());
      }
    }
    DiskLog.Pinned files =
        disk == null || start >= reach
            ? DiskLog.Pinned.NONE
            : disk.pin(start, Math.min(end, reach));
    return new Pinned(parts, memory, files);
  }

  /** Compaction may remove a readable HLC at any time. */
  private synchronized void requireReached(long hlc) {
    long floor = floor(hlc);
    if (floor != hlc) {
      throw OutOfReachException.compacted(hlc, floor, exactReach());
    }
  }

  /**
   * Compacts old entries on disk, if there are enough of them (see {@link Compaction}). Appends and
   * diffs continue. Returns false if there was nothing to do. If the disk has no room, changes
   * nothing and throws {@link UncheckedIOException}.
   *
   * @param pause called after about every 64 KiB, in the caller's thread
   */
  public boolean compact(Runnable pause) {
    try {
      Compactor compactor;
      synchronized (this) {
        compactor = disk == null ? null : disk.beginCompaction();
      }
      if (compactor == null) {
        return false;
      }
      try {
        compactor.run(pause);
      } finally {
        endCompaction(compactor);
      }
      return true;
    } catch (DamagedFileException damaged) {
      lose(damaged);
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException("the window-log was not compacted: " + e.getMessage(), e);
    }
  }

  private synchronized void endCompaction(Compactor compactor) {
    if (disk != null) {
      disk.endCompaction(compactor);
    }
  }

  private synchronized void lose(DamagedFileException damaged) {
    if (disk != null) {
      disk.lose(damaged, lastHlc);
    }
  }

  private Diff orUnpin(Pinned pinned, Supplier<Diff> made) {
    try {
      return made.get();
    } catch (RuntimeException | Error e) {
      unpin(pinned);
      throw e;
    }
  }

  private synchronized void unpin(Pinned pinned) {
    pinned.memory().forEach(segments::unpin);
    pinned.disk().unpin();
  }

  /**
   * Ends the log on disk in order, so that the next incarnation continues it, also after a power
   * loss. Call it once the store's medium has all appended writes. The log can still be read.
   * Idempotent.
   */
  @Override
  public synchronized void close() {
    if (disk != null) {
      disk.close();
    }
  }

  /** Does nothing while a diff or another thread holds the lock; the next call continues. */
  private void internSealed() {
    if (!differences.rewriting().tryLock()) {
      return;
    }
    try {
      boolean more = true;
      while (more) {
        more = internNext();
      }
    } finally {
      differences.rewriting().unlock();
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

package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.Diff;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.Walk;
import io.palinode.retroscope.snapshot.file.Part;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the part from which the store at another time costs the least work. It only saves work: it
 * checks for a stop after each step through the window-log, ends once nothing can be saved, and
 * finds no part if the window-log cannot be read.
 */
final class NearestPart {
  /** A key that has changed costs about as much as so many that are read in their order. */
  private static final int KEYS_PER_CHANGE = 4;

  /**
   * Changes of few keys: to go through more of them than that is not less than to read all keys.
   */
  private static final int ENTRIES_PER_KEY = 4;

  private final History history;
  private final long hlc;
  private final Watch watch;

  NearestPart(History history, long hlc, Watch watch) {
    this.history = history;
    this.hlc = hlc;
    this.watch = watch;
  }

  /**
   * Null when none is cheaper than to read all keys. O(changes since the nearest one before the
   * time, and since the nearest one behind it), as long as these are few; 8 MiB, and 8 to 16 bytes
   * for each key of a step. Throws {@link SnapshotException} when the watch stops it.
   */
  @Nullable Part of(List<Part> parts) {
    Part cheapest = null;
    long least = Long.MAX_VALUE;
    for (boolean isEarlier : new boolean[] {true, false}) {
      Part nearest = nearest(parts, isEarlier);
      long changes = nearest == null ? Long.MAX_VALUE : changesTo(nearest.hlc(), nearest.keys());
      if (changes < least) {
        cheapest = nearest;
        least = changes;
      }
    }
    return cheapest;
  }

  /**
   * Whether few keys have changed between the two times, so that a part of all keys at {@code time}
   * would be begun with. Cost and failure as of {@link #of}.
   *
   * @param keys that the part has, nearly
   */
  boolean isNear(long time, long keys) {
    return Math.min(time, hlc) >= exactReach() && changesTo(time, keys) < Long.MAX_VALUE;
  }

  private long exactReach() {
    return history.stores().stream()
        .mapToLong(store -> history.past(store).exactReach())
        .max()
        .orElse(0);
  }

  /** Of those that are in reach exactly, and that are laid over nothing. */
  private @Nullable Part nearest(List<Part> parts, boolean isEarlier) {
    long reach = exactReach();
    Part nearest = null;
    for (Part part : parts) {
      boolean fits =
          part.base().isNone()
              && part.stores().equals(history.stores())
              && Math.min(part.hlc(), hlc) >= reach
              && isEarlier == part.hlc() <= hlc;
      if (fits && (nearest == null || distance(part) < distance(nearest))) {
        nearest = part;
      }
    }
    return nearest;
  }

  private long distance(Part part) {
    return Math.abs(part.hlc() - hlc);
  }

  /** An estimate of the keys; {@link Long#MAX_VALUE} if they are too many, or unknown. */
  private long changesTo(long time, long partKeys) {
    long early = Math.min(hlc, time);
    long late = Math.max(hlc, time);
    Count count = new Count(partKeys);
    for (int i = 0; i < history.stores().size(); i++) {
      Walk walk = new Walk(early, late);
      while (walk.upTo() < late) {
        if (!isCounted(i, walk, late, count)) {
          return Long.MAX_VALUE;
        }
        // While nothing of the window-log is held: it may take a pause.
        watch.passed(0, 0);
      }
    }
    return count.keys.count();
  }

  /** The next step; false: no more is of interest. */
  private boolean isCounted(int store, Walk walk, long late, Count count) {
    try (Diff step = walk.next(history.past(history.stores().get(store)), late)) {
      return count.add(store, step);
    } catch (OutOfReachException | UncheckedIOException | IllegalStateException unread) {
      // The window has moved on, the disk failed, or a step has more keys than can be compared.
      return false;
    }
  }

  /** What has changed between the time of a part and the one that is wanted. */
  private static final class Count {
    private final long keysMax;
    private final long entriesMax;
    private final DistinctKeys keys;
    private long entries;

    Count(long partKeys) {
      keysMax = partKeys / KEYS_PER_CHANGE;
      entriesMax = Math.max(1, partKeys) * ENTRIES_PER_KEY;
      keys = new DistinctKeys(keysMax);
    }

    /** False: it is not worth it. */
    boolean add(int store, Diff step) {
      entries += step.entries();
      if (step.size() > keysMax || entries > entriesMax) {
        return false;
      }
      step.forEachKey(key -> keys.add(store, key));
      return keys.count() <= keysMax;
    }
  }
}

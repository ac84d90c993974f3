package io.palinode.retroscope;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.segment.KeyGeneration;
import io.palinode.retroscope.segment.Segment;
import java.lang.ref.WeakReference;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A way through a window-log in short steps: between two of them nothing of the log is held.
 *
 * <p>A key that was found is not found again, as far as memory has it under the same number. So a
 * key may come again in a later step, and its first value is the one it had when the walk began.
 *
 * <p>Holds a bit for each key of the log. For one thread. After a failure it is of no use.
 */
public final class Walk {
  /** Some milliseconds of work, whichever comes first. */
  private static final int KEYS_MAX = 4_096;

  private static final int CHANGES_MAX = 500_000;

  /** What is on disk has no numbers: it is walked in so many steps of the same time. */
  private static final int DISK_STEPS_MAX = 64;

  private static final long DISK_STEP_HLC_MIN = Hlc.ofMicros(250_000);

  private final long diskStep;
  private final int keysMax;
  private final int changesMax;
  private WeakReference<@Nullable KeyGeneration> generation = new WeakReference<>(null);
  private BitSet found = new BitSet();
  private long upTo;

  /**
   * @param to about where it is going to end
   */
  public Walk(long from, long to) {
    this(from, Math.max(DISK_STEP_HLC_MIN, (to - from) / DISK_STEPS_MAX), KEYS_MAX, CHANGES_MAX);
  }

  Walk(long from, long diskStep, int keysMax, int changesMax) {
    this.upTo = from;
    this.diskStep = diskStep;
    this.keysMax = keysMax;
    this.changesMax = changesMax;
  }

  /** All changes up to here were found. */
  public long upTo() {
    return upTo;
  }

  /**
   * Continues, to {@code end} at most. Returns what was found; throws as {@link
   * WindowLog#diffBetween}.
   */
  public Diff next(WindowLog log, long end) {
    Diff step = log.step(upTo, endOfStep(log, end), this);
    upTo = step.end();
    return step;
  }

  /** A compacted log on disk can only be read between certain times. */
  private long endOfStep(WindowLog log, long end) {
    if (upTo >= log.memoryReach()) {
      return end;
    }
    // If the begin is out of reach, the error names it.
    var unused = log.floor(upTo);
    for (long some = diskStep; end - upTo > some; some *= 2) {
      long reached = log.floor(upTo + some);
      if (reached > upTo) {
        return reached;
      }
    }
    return end;
  }

  boolean isEnough(int keys, long changes) {
    return keys >= keysMax || changes >= changesMax;
  }

  /** The keys found among those of a segment: an earlier generation does not come again. */
  BitSet found(Segment segment) {
    if (generation.get() != segment.generation()) {
      generation = new WeakReference<>(segment.generation());
      found = new BitSet();
    }
    return found;
  }
}

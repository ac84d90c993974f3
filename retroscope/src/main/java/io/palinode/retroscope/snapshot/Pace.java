package io.palinode.retroscope.snapshot;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * How much of the time a taking may work. It pauses after each step for as long as it takes to stay
 * below its share: the store's clients have the rest of the processor and of the disk.
 *
 * @param share above 0, at most 1: without a pause
 * @param nanos a clock that never goes back
 * @param pause waits for so many nanoseconds, or less when the thread is interrupted
 */
public record Pace(double share, LongSupplier nanos, LongConsumer pause) {
  /** Less work than this is not paused for yet: a pause has its price too. */
  private static final long WORK_NANOS_MIN = 1_000_000;

  /** A longer pause would be taken for silence. */
  private static final long PAUSE_NANOS_MAX = 1_000_000_000;

  /**
   * Of the time of one thread, for a node that has its machine alone. Clients lose some 7 % on two
   * processors to three nodes with a third of it each ({@code palinode bench snapshot}).
   */
  public static final double SHARE_DEFAULT = 0.09;

  public Pace {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("a share must be above 0 and at most 1: share=" + share);
    }
  }

  /** As fast as it goes. */
  public static Pace unlimited() {
    return new Pace(1, System::nanoTime, nanos -> {});
  }

  /** {@code watch}, with a pause after each call. For one taking, in its thread. */
  Paced over(Watch watch) {
    return new Paced(this, watch);
  }

  /** A watch that pauses after each call. */
  static final class Paced implements Watch {
    private final Pace pace;
    private final Watch watch;
    private long worked;

    private Paced(Pace pace, Watch watch) {
      this.pace = pace;
      this.watch = watch;
      this.worked = pace.nanos.getAsLong();
    }

    @Override
    public boolean progress(long keys, long bytes) {
      boolean wanted = watch.progress(keys, bytes);
      long work = pace.nanos.getAsLong() - worked;
      if (work >= WORK_NANOS_MIN) {
        if (wanted && pace.share < 1) {
          pace.pause.accept((long) Math.min(PAUSE_NANOS_MAX, work * (1 / pace.share - 1)));
        }
        worked = pace.nanos.getAsLong();
      }
      return wanted;
    }

    /** As {@link #passed}, after a wait: that was no work, and no pause is due for it. */
    void waited() {
      worked = pace.nanos.getAsLong();
      watch.passed(0, 0);
    }
  }
}

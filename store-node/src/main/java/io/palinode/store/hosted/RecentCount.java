package io.palinode.store.hosted;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Counts events of the last seconds, to the second. Thread-safe. */
final class RecentCount {
  private static final long NEVER = Long.MIN_VALUE;

  private final LongSupplier nanos;
  // By the second, modulo their number.
  private final int[] counts;
  private final long[] seconds;

  /**
   * @param window in whole seconds
   * @param nanos a monotonic clock
   */
  RecentCount(Duration window, LongSupplier nanos) {
    this.nanos = nanos;
    this.counts = new int[Math.toIntExact(window.toSeconds())];
    this.seconds = new long[counts.length];
    Arrays.fill(seconds, NEVER);
  }

  /** Adds an event, and returns the number of those in the window. O(seconds of the window). */
  synchronized long add() {
    long now = TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong());
    int slot = Math.floorMod(now, counts.length);
    if (seconds[slot] != now) {
      seconds[slot] = now;
      counts[slot] = 0;
    }
    counts[slot]++;
    long sum = 0;
    for (int i = 0; i < counts.length; i++) {
      sum += seconds[i] > now - counts.length ? counts[i] : 0;
    }
    return sum;
  }
}

package io.palinode.store.node;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.HvcClock;
import java.time.Duration;

/**
 * What a node assumes of the clocks in its cluster.
 *
 * @param epsilon the bound on clock differences
 * @param maxDrift a received clock further ahead than this is refused
 */
public record ClockBounds(Epsilon epsilon, Duration maxDrift) {
  public ClockBounds {
    if (maxDrift.isNegative()) {
      throw new IllegalArgumentException("a drift must not be negative: maxDrift=" + maxDrift);
    }
  }

  /** With the default drift. */
  public static ClockBounds of(Epsilon epsilon) {
    return new ClockBounds(epsilon, HvcClock.MAX_DRIFT_DEFAULT);
  }
}

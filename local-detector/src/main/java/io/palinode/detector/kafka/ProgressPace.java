package io.palinode.detector.kafka;

import java.time.Duration;

/**
 * How often a node writes progress: rarely while nothing happens, often for a while after a
 * candidate, since a pair of candidates is judged only when progress has passed them.
 */
public record ProgressPace(Duration idle, Duration busy, Duration busyFor) {
  public static final ProgressPace DEFAULT =
      new ProgressPace(Duration.ofMillis(50), Duration.ofMillis(5), Duration.ofMillis(200));

  public ProgressPace {
    if (busy.isZero() || busy.isNegative() || idle.compareTo(busy) < 0 || busyFor.isNegative()) {
      throw new IllegalArgumentException(
          "a pace must be 0 < busy <= idle, busyFor >= 0: idle="
              + idle
              + " busy="
              + busy
              + " busyFor="
              + busyFor);
    }
  }

  /** When the next progress is due, in the nanoseconds of one clock. */
  long nextAt(long lastProgress, long lastCandidate) {
    long busyAt = lastProgress + busy.toNanos();
    return busyAt - lastCandidate <= busyFor.toNanos() ? busyAt : lastProgress + idle.toNanos();
  }
}

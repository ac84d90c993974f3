package io.palinode.voldemort.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Spreads the restarts of a program after rollbacks: clients that ran into each other would do so
 * again if all began at once. Full jitter over a time that doubles with each rollback since the
 * program last came further, up to a limit. One for each program; not thread-safe.
 */
public final class RestartBackOff {
  private static final Duration LEAST = Duration.ofMillis(2);
  private static final Duration MOST = Duration.ofMillis(500);

  private final long leastNanos;
  private final long mostNanos;
  private final RandomGenerator random;
  private int inVain;

  /**
   * @param least the longest wait after the first rollback
   * @param most the longest wait after any
   */
  public RestartBackOff(Duration least, Duration most, RandomGenerator random) {
    if (least.isNegative() || least.isZero() || most.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "least must be positive and not above most: least=%s most=%s".formatted(least, most));
    }
    this.leastNanos = least.toNanos();
    this.mostNanos = most.toNanos();
    this.random = random;
  }

  /** From 2 to 500 ms. */
  public static RestartBackOff of(RandomGenerator random) {
    return new RestartBackOff(LEAST, MOST, random);
  }

  /** There was one more rollback: so long to wait before the program restarts; never zero. */
  public Duration rolledBack() {
    long longest = leastNanos;
    for (int doubled = 0; doubled < inVain && longest < mostNanos; doubled++) {
      longest = Math.min(mostNanos, 2 * longest);
    }
    inVain++;
    return Duration.ofNanos(random.nextLong(1, longest + 1));
  }

  /** The program has come further than before any rollback. */
  public void progressed() {
    inVain = 0;
  }
}

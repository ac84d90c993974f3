package io.palinode.examples.graph.net;

import java.util.random.RandomGenerator;

/**
 * One-way delays between regions; region i is where node i stands. The return way may take another
 * time.
 */
enum Geography {
  /** Data centres of one region: 0.05 ms within one, 0.4 to 0.6 ms to another, uniform. */
  REGIONAL {
    @Override
    long delayNanos(int from, int to, RandomGenerator random) {
      return from == to ? 50_000 : random.nextLong(400_000, 600_001);
    }
  },

  /** The cities of {@link #GLOBAL} drawn together: its base divided by 4. */
  CONTINENTAL {
    @Override
    long delayNanos(int from, int to, RandomGenerator random) {
      return cityNanos(from, to, CONTINENTAL_SHARE, random);
    }
  },

  /**
   * Cities of the world: 0.3 ms within one, between two the base of the table in ms, plus a
   * log-normal jitter with median 1 ms, 10 ms at most. Ways and returns differ, as routes do.
   */
  GLOBAL {
    @Override
    long delayNanos(int from, int to, RandomGenerator random) {
      return cityNanos(from, to, 1, random);
    }
  };

  static final int REGIONS = 8;
  private static final double JITTER_SIGMA = 0.5;
  private static final double JITTER_MS_MAX = 10;
  private static final double CONTINENTAL_SHARE = 0.25;

  /** From the row's region to the column's. */
  private static final int[][] GLOBAL_BASE_MS = {
    //  0    1    2    3    4    5    6    7
    {0, 45, 110, 75, 95, 60, 130, 40}, // 0 Virginia
    {41, 0, 125, 105, 115, 55, 90, 50}, // 1 Frankfurt
    {104, 118, 0, 150, 40, 85, 70, 120}, // 2 Tokyo
    {70, 112, 144, 0, 140, 110, 149, 80}, // 3 Sao Paulo
    {101, 122, 44, 150, 0, 95, 65, 128}, // 4 Sydney
    {66, 50, 92, 117, 88, 0, 45, 75}, // 5 Mumbai
    {122, 84, 76, 143, 60, 40, 0, 135}, // 6 Singapore
    {43, 56, 113, 86, 134, 80, 128, 0}, // 7 Montreal
  };

  /** The time that a message takes, before it may have to wait for one sent earlier. */
  abstract long delayNanos(int from, int to, RandomGenerator random);

  private static long cityNanos(int from, int to, double share, RandomGenerator random) {
    if (from == to) {
      return 300_000;
    }
    double jitterMs = Math.min(JITTER_MS_MAX, Math.exp(JITTER_SIGMA * random.nextGaussian()));
    return (long) ((GLOBAL_BASE_MS[from][to] * share + jitterMs) * 1_000_000);
  }

  static void requireRegion(String what, int region) {
    if (region < 0 || region >= REGIONS) {
      throw new IllegalArgumentException(
          what + " must be in [0, " + (REGIONS - 1) + "]: " + what + "=" + region);
    }
  }
}

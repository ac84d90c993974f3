package io.palinode.benchmarks.paper;

import java.util.Arrays;

/**
 * Whether two samples differ by more than chance: the exact permutation test on the sum of ranks
 * (Mann and Whitney), two-sided. It assumes no distribution; equal values share a rank.
 */
public final class RankTest {
  private static final int VALUES_MAX = 100;

  private RankTest() {}

  /**
   * The share of all ways to deal the values out to two samples of these sizes that differ at least
   * as much. Cost: O(n³) in the number of values, of which each sample has at most 100.
   */
  public static double p(double[] one, double[] other) {
    if (one.length == 0
        || other.length == 0
        || one.length > VALUES_MAX
        || other.length > VALUES_MAX) {
      throw new IllegalArgumentException(
          "a sample must have 1 to %d values: %d and %d"
              .formatted(VALUES_MAX, one.length, other.length));
    }
    int[] ranks = twiceTheRanks(one, other);
    int sum = Arrays.stream(ranks, 0, one.length).sum();
    // Twice a rank is n + 1 on average.
    int expected = one.length * (ranks.length + 1);
    double[] shares = sharesOfSums(ranks, one.length);
    double p = 0;
    for (int s = 0; s < shares.length; s++) {
      if (Math.abs(s - expected) >= Math.abs(sum - expected)) {
        p += shares[s];
      }
    }
    return Math.min(1, p);
  }

  /** The least p that samples of these sizes can have. */
  public static double least(int one, int other) {
    double[] low = new double[one];
    double[] high = new double[other];
    Arrays.setAll(low, i -> i);
    Arrays.setAll(high, i -> one + i);
    return p(low, high);
  }

  /** Of the values of {@code one}, then those of {@code other}; the least rank is 1. */
  private static int[] twiceTheRanks(double[] one, double[] other) {
    double[] all = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, all, one.length, other.length);
    int[] ranks = new int[all.length];
    for (int i = 0; i < all.length; i++) {
      int below = 0;
      int equal = 0;
      for (double value : all) {
        below += value < all[i] ? 1 : 0;
        equal += value == all[i] ? 1 : 0;
      }
      ranks[i] = 2 * below + equal + 1;
    }
    return ranks;
  }

  /** By sum, the share of all choices of {@code size} of the ranks that have it. */
  private static double[] sharesOfSums(int[] ranks, int size) {
    int greatest = Arrays.stream(ranks).sum();
    double[][] ways = new double[size + 1][greatest + 1];
    ways[0][0] = 1;
    for (int rank : ranks) {
      for (int chosen = size; chosen >= 1; chosen--) {
        for (int sum = greatest; sum >= rank; sum--) {
          ways[chosen][sum] += ways[chosen - 1][sum - rank];
        }
      }
    }
    double all = Arrays.stream(ways[size]).sum();
    return Arrays.stream(ways[size]).map(count -> count / all).toArray();
  }
}

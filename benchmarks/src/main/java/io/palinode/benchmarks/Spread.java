package io.palinode.benchmarks;

import java.util.Arrays;
import java.util.List;

/**
 * The median of some measurements, and an interval that holds the true median fifteen times in
 * sixteen, whatever their distribution: from the k-th least to the k-th greatest of them. Of five
 * that is all of them; of four or fewer it is all of them too, and says less.
 */
public record Spread(double median, double from, double to) {
  private static final double MISSES_MAX = 1.0 / 16;

  public static Spread of(List<Double> measured) {
    return of(measured.stream().mapToDouble(Double::doubleValue).toArray());
  }

  public static Spread of(double... measured) {
    if (measured.length == 0) {
      throw new IllegalArgumentException("a median needs a measurement");
    }
    double[] sorted = measured.clone();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    int outside = outside(sorted.length);
    double median = (sorted[last / 2] + sorted[sorted.length / 2]) / 2;
    return new Spread(median, sorted[outside], sorted[last - outside]);
  }

  /**
   * How many measurements may be left out at each end. The true median is beyond the k-th least
   * when at most k − 1 of n are below it, and each is with even odds.
   */
  private static int outside(int count) {
    double ways = 1;
    double misses = 0;
    for (int below = 0; ; below++) {
      misses += 2 * ways * Math.pow(0.5, count);
      if (misses > MISSES_MAX || 2 * (below + 1) >= count) {
        return Math.max(0, below - 1);
      }
      ways = ways * (count - below) / (below + 1);
    }
  }
}

package io.palinode.detection;

import java.io.Serializable;

/**
 * What detection of one instance may take. Whatever is beyond is not judged, and counted ({@link
 * Overflows}).
 *
 * @param intervalsMax intervals that are kept; of more, the oldest goes unjudged
 * @param reportsMax reports that are followed while their grade may rise; of more, the oldest keeps
 *     the one it has
 * @param searchStepsMax of one search, which is given up beyond; only clauses of many terms that
 *     hold at many nodes, and sums with {@code replicas: first}, come near the default
 */
public record DetectionLimits(int intervalsMax, int reportsMax, long searchStepsMax)
    implements Serializable {
  public static final DetectionLimits DEFAULT = new DetectionLimits(100_000, 100_000, 1_000_000);

  private static final long serialVersionUID = 1L;

  public DetectionLimits {
    requirePositive("intervalsMax", intervalsMax);
    requirePositive("reportsMax", reportsMax);
    requirePositive("searchStepsMax", searchStepsMax);
  }

  public DetectionLimits withIntervalsMax(int max) {
    return new DetectionLimits(max, reportsMax, searchStepsMax);
  }

  private static void requirePositive(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
    }
  }
}

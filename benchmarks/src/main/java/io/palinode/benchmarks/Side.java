package io.palinode.benchmarks;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What clients got in a round; or the medians of rounds.
 *
 * @param cpuMicros of the measured process for an operation
 */
public record Side(double operationsPerSecond, double p50Ms, double p99Ms, double cpuMicros) {
  /** Returns the median of each figure. */
  public static Side median(List<Side> rounds) {
    return new Side(
        median(rounds, Side::operationsPerSecond),
        median(rounds, Side::p50Ms),
        median(rounds, Side::p99Ms),
        median(rounds, Side::cpuMicros));
  }

  private static double median(List<Side> rounds, ToDoubleFunction<Side> figure) {
    return Spread.of(rounds.stream().mapToDouble(figure).toArray()).median();
  }
}

package io.palinode.benchmarks.report;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Spread;
import java.util.List;
import java.util.Locale;

/** Numbers as the reports show them. */
final class Numbers {
  private Numbers() {}

  static String fixed(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** Of the columns: operations/s, p50 ms, p99 ms, CPU µs. */
  static List<String> cells(Side side) {
    return List.of(
        "%,.0f".formatted(side.operationsPerSecond()),
        fixed(side.p50Ms(), 2),
        fixed(side.p99Ms(), 2),
        fixed(side.cpuMicros(), 1));
  }

  /** The least and the greatest value. */
  static String range(Spread spread, int decimals) {
    return fixed(spread.from(), decimals) + " … " + fixed(spread.to(), decimals);
  }
}

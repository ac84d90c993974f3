package io.palinode.benchmarks.report;

import io.palinode.benchmarks.Spread;
import java.util.Locale;

/** Numbers as the reports show them. */
final class Numbers {
  private Numbers() {}

  static String fixed(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** The least and the greatest value. */
  static String range(Spread spread, int decimals) {
    return fixed(spread.from(), decimals) + " … " + fixed(spread.to(), decimals);
  }
}

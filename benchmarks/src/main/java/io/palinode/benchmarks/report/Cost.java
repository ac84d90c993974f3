package io.palinode.benchmarks.report;

import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.Comparison.Beside;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Percents: throughput lost to a part of Palinode, processor time added for an operation; absent
 * without that part, of which {@code noise} is what neighbouring rounds differ by.
 */
record Cost(@Nullable Spread throughputLost, @Nullable Spread cpuAdded, @Nullable Spread noise) {
  static Cost none(Comparison<?> of) {
    return new Cost(null, null, percent(of.noise()));
  }

  static Cost of(Beside<?> beside) {
    Spread more = percent(beside.throughput());
    Spread lost = new Spread(-more.median(), -more.to(), -more.from());
    return new Cost(lost, percent(beside.cpu()), null);
  }

  private static Spread percent(Spread ratio) {
    return new Spread(100 * (ratio.median() - 1), 100 * (ratio.from() - 1), 100 * (ratio.to() - 1));
  }

  /** Null without the part. */
  @Nullable Verdict verdict(double goalPercent) {
    return throughputLost == null ? null : Verdict.of(throughputLost, goalPercent);
  }

  /** Of the columns: throughput lost, from … to, CPU added, from … to. */
  List<String> cells() {
    return List.of(
        throughputLost == null ? "" : Numbers.fixed(throughputLost.median(), 1) + " %",
        throughputLost == null
            ? (noise == null ? "" : "noise " + Numbers.range(noise, 1))
            : Numbers.range(throughputLost, 1),
        cpuAdded == null ? "" : Numbers.fixed(cpuAdded.median(), 1) + " %",
        cpuAdded == null ? "" : Numbers.range(cpuAdded, 1));
  }
}

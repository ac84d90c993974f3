package io.palinode.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.report.Verdict;
import io.palinode.benchmarks.report.WatchingReport;
import io.palinode.benchmarks.report.WatchingReport.Pair;
import io.palinode.benchmarks.report.WatchingReport.Run;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WatchingReportTest {
  @Test
  void theRatioIsTheMedianOfThePairs() {
    WatchingReport report = report(pair(1_000, 900), pair(2_000, 1_000), pair(1_000, 800));
    assertThat(report.ratio().median()).isEqualTo(0.8);
    assertThat(report.ratio().from()).isEqualTo(0.5);
    assertThat(report.ratio().to()).isEqualTo(0.9);
    assertThat(report.goal()).isEqualTo(Verdict.NOT_SURE);
  }

  @Test
  void theTableShowsWhatEachPartAdds() {
    assertThat(report(pair(1_000, 850), pair(1_100, 990)).table())
        .containsPattern("operations/s +1,050 +920 +-130")
        .containsPattern("CPU µs an operation +300 +410 +110")
        .containsPattern("kafka +0 +60 +60")
        .contains("medians of 2 pairs")
        .contains("watched by unwatched: 0.88 (0.85 … 0.90); goal at least 0.80: met");
  }

  private static WatchingReport report(Pair... pairs) {
    return WatchingReport.of("karate, network none", 0.8, List.of(pairs));
  }

  private static Pair pair(double unwatched, double watched) {
    return new Pair(
        new Run(unwatched, Map.of("process", 300.0, "kafka", 0.0)),
        new Run(watched, Map.of("process", 410.0, "kafka", 60.0)));
  }
}

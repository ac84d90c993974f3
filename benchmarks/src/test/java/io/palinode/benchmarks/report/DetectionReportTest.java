package io.palinode.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.report.DetectionReport.Figures;
import io.palinode.benchmarks.report.DetectionReport.Ratios;
import io.palinode.benchmarks.report.DetectionReport.Row;
import io.palinode.benchmarks.report.DetectionReport.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DetectionReportTest {
  @Test
  void eachRowNamesItsGoalAndWhetherItIsMet() {
    String table =
        new DetectionReport(
                "Java, 2 cores",
                1,
                List.of(row(299_999, 300_000.0), row(300_000, 300_000.0), row(1, null)),
                List.of())
            .table();
    assertThat(table.lines().filter(line -> line.startsWith("total")))
        .satisfiesExactly(
            missed -> assertThat(missed).contains(" 299,999 ").endsWith(" 300,000 missed"),
            met -> assertThat(met).contains(" 300,000 ").endsWith(" 300,000 met"),
            without -> assertThat(without).doesNotContain("met", "missed"));
  }

  private static Row row(double candidatesPerSecond, @Nullable Double goal) {
    return new Row(
        "total",
        new Shape(10, 3, 0, 100, 0),
        0,
        goal,
        new Figures(candidatesPerSecond, 1, 1, 1, 1),
        null,
        null,
        new Ratios(null, null, null));
  }
}

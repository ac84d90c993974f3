package io.palinode.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.report.DetectionReport.Figures;
import io.palinode.benchmarks.report.DetectionReport.Ratios;
import io.palinode.benchmarks.report.DetectionReport.Row;
import io.palinode.benchmarks.report.DetectionReport.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

class DetectionReportTest {
  @Test
  void onlyRowsBelowTheGoalAreMarked() {
    String table =
        new DetectionReport(
                "Java, 2 cores", 1, 300_000, List.of(row(299_999), row(300_000)), List.of())
            .table();
    assertThat(table).startsWith("Java, 2 cores, one used; seed 1; goal: at least 300,000 cand");
    assertThat(table.lines().filter(line -> line.endsWith("missed")))
        .singleElement()
        .asString()
        .contains(" 299,999 ");
  }

  private static Row row(double candidatesPerSecond) {
    return new Row(
        "total",
        new Shape(10, 3, 0, 100, 0),
        0,
        new Figures(candidatesPerSecond, 1, 1, 1, 1),
        null,
        null,
        new Ratios(null, null, null));
  }
}

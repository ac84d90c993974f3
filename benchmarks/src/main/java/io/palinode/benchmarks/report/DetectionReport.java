package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.DetectionBenchmark.Case;
import io.palinode.benchmarks.DetectionBenchmark.Result;
import io.palinode.benchmarks.Measurement;
import io.palinode.benchmarks.online.OperationCosts.Cost;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What was measured; its components are the JSON output. */
public record DetectionReport(String machine, long seed, List<Row> rows, List<Cost> operations)
    implements Output.Report {

  /** One case. Times and bytes are those of one candidate. */
  record Row(
      String group,
      @JsonUnwrapped Shape shape,
      long reports,
      @Nullable Double goalCandidatesPerSecond,
      Figures detection,
      @Nullable Figures simple,
      @Nullable Figures plain,
      @JsonUnwrapped Ratios ratios) {

    public static Row of(Result result) {
      var shape = result.of().shape();
      return new Row(
          result.of().group().name().toLowerCase(Locale.ROOT),
          new Shape(
              shape.terms(), shape.nodes(), shape.violated(), shape.instances(), shape.retained()),
          result.reports(),
          result.of().goal(),
          Figures.of(result.detection()),
          result.simple() == null ? null : Figures.of(result.simple()),
          result.plain() == null ? null : Figures.of(result.plain()),
          new Ratios(result.ratio(), result.classifyingRatio(), result.plainRatio()));
    }
  }

  /** The workload, without its length. */
  record Shape(int terms, int nodes, double violated, int instances, int retained) {}

  /**
   * How many times as fast as the simple detector; how many times as long with phantoms, and as a
   * candidate of a plain conjunction.
   */
  record Ratios(
      @Nullable Double ratio, @Nullable Double phantomsRatio, @Nullable Double plainRatio) {}

  record Figures(
      double candidatesPerSecond,
      double medianNanos,
      double leastNanos,
      double greatestNanos,
      double allocatedBytes) {
    public static Figures of(Measurement measured) {
      return new Figures(
          measured.candidatesPerSecond(),
          measured.medianNanos(),
          measured.leastNanos(),
          measured.greatestNanos(),
          measured.allocatedBytes());
    }
  }

  /**
   * @param operations empty if no operations were measured
   */
  public static DetectionReport of(List<Result> results, long seed, List<Cost> operations) {
    return new DetectionReport(
        Machine.text(), seed, results.stream().map(Row::of).toList(), operations);
  }

  public static String name(Case of) {
    var shape = of.shape();
    return String.format(
        Locale.ROOT,
        "%s, %d terms, %d nodes, %s violated%s",
        of.group().name().toLowerCase(Locale.ROOT),
        shape.terms(),
        shape.nodes(),
        percent(shape.violated()),
        shape.retained() == 0 ? "" : String.format(Locale.ROOT, ", %,d kept", shape.retained()));
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "case",
                "terms",
                "nodes",
                "violated",
                "kept",
                "candidates/s",
                "ns",
                "ns, least to most",
                "bytes",
                "simple: candidates/s",
                "bytes",
                "times as fast",
                "with phantoms",
                "of a conjunction",
                "goal"));
    for (Row row : rows) {
      table.row(
          List.of(
              row.group(),
              Integer.toString(row.shape().terms()),
              Integer.toString(row.shape().nodes()),
              percent(row.shape().violated()),
              row.shape().retained() == 0 ? "" : number(row.shape().retained()),
              number(row.detection().candidatesPerSecond()),
              number(row.detection().medianNanos()),
              number(row.detection().leastNanos())
                  + " to "
                  + number(row.detection().greatestNanos()),
              number(row.detection().allocatedBytes()),
              row.simple() == null ? "" : number(row.simple().candidatesPerSecond()),
              row.simple() == null ? "" : number(row.simple().allocatedBytes()),
              ratio(row.ratios().ratio(), ""),
              ratio(row.ratios().phantomsRatio(), " x"),
              ratio(row.ratios().plainRatio(), " x"),
              goal(row)));
    }
    return "%s, one used; seed %d\n\n%s%s"
        .formatted(
            machine, seed, table.render(), operations.isEmpty() ? "" : "\n" + ofOperations());
  }

  private static String goal(Row row) {
    Double goal = row.goalCandidatesPerSecond();
    if (goal == null) {
      return "";
    }
    return number(goal) + (row.detection().candidatesPerSecond() < goal ? " missed" : " met");
  }

  private String ofOperations() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of("an operation", "requests", "bytes", "candidates", "bytes"));
    for (Cost cost : operations) {
      table.row(
          List.of(
              cost.operation(),
              Integer.toString(cost.requests()),
              Integer.toString(cost.requestBytes()),
              Integer.toString(cost.candidates()),
              Integer.toString(cost.candidateBytes())));
    }
    return table.render();
  }

  private static String ratio(@Nullable Double ratio, String unit) {
    return ratio == null ? "" : String.format(Locale.ROOT, "%.2f", ratio) + unit;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}

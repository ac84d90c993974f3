package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.online.Latency;
import io.palinode.benchmarks.online.LatencyBenchmark.Counts;
import io.palinode.benchmarks.online.LatencyBenchmark.Result;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was measured; its components are the JSON output. Latencies are milliseconds. */
public record LatencyReport(
    String machine, double seconds, long instances, List<Row> rows, List<Goal> goals)
    implements Output.Report {
  private static final double GOAL_RATE = 10_000;
  private static final double GOAL_P50 = 5;
  private static final double GOAL_P999 = 25;
  private static final double GOAL_MAX = 250;

  /** One rate: candidates a second, wanted and reached; violations; both latencies. */
  record Row(
      double rate,
      double reached,
      @JsonUnwrapped Counts counts,
      Latency detection,
      Latency kafkaAlone,
      double ratio) {
    public static Row of(Result result) {
      return new Row(
          result.rate(),
          result.reached(),
          result.counts(),
          result.detection(),
          result.kafkaAlone(),
          result.ratio());
    }

    public boolean isComplete() {
      return counts.areComplete();
    }
  }

  /** A limit in milliseconds, at 10,000 candidates a second. */
  record Goal(String of, double below, double measured, boolean met) {
    public static Goal of(String of, double below, double measured) {
      return new Goal(of, below, measured, measured < below);
    }
  }

  public static LatencyReport of(List<Result> results, double seconds, long instances) {
    List<Goal> goals = new ArrayList<>();
    for (Result result : results) {
      if (result.rate() == GOAL_RATE) {
        Latency measured = result.detection();
        goals.add(Goal.of("p50", GOAL_P50, measured.p50()));
        goals.add(Goal.of("p99.9", GOAL_P999, measured.p999()));
        goals.add(Goal.of("max", GOAL_MAX, measured.max()));
      }
    }
    List<Row> rows = results.stream().map(Row::of).toList();
    return new LatencyReport(Machine.text(), seconds, instances, rows, goals);
  }

  /** Nothing lost, nothing extra. */
  public boolean isComplete() {
    return rows.stream().allMatch(Row::isComplete);
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "ms",
                "candidates/s",
                "reached",
                "p50",
                "p90",
                "p99",
                "p99.9",
                "max",
                "ratio of p50"));
    for (Row row : rows) {
      table.row(cells("candidate to violation", row, row.detection(), number(row.ratio())));
      table.row(cells("Kafka alone", row, row.kafkaAlone(), ""));
    }
    StringBuilder text = new StringBuilder();
    text.append("%s; %.0f s a rate; %,d instances%n%n".formatted(machine, seconds, instances));
    text.append(table.render()).append('\n');
    for (Row row : rows) {
      text.append(counts(row)).append('\n');
    }
    for (Goal goal : goals) {
      text.append(
          "goal at 10,000/s: %s below %.0f ms: %s\n"
              .formatted(goal.of(), goal.below(), goal.met() ? "met" : "missed"));
    }
    return text.toString();
  }

  private static String counts(Row row) {
    return String.format(
        Locale.ROOT,
        "%,.0f/s: violations expected %,d, received %,d, extra %,d; coverage lost %,d",
        row.rate(),
        row.counts().expected(),
        row.counts().received(),
        row.counts().extra(),
        row.counts().coverageLost());
  }

  private static List<String> cells(String path, Row row, Latency latency, String ratio) {
    boolean isOurs = !ratio.isEmpty();
    return List.of(
        path,
        isOurs ? whole(row.rate()) : "",
        isOurs ? whole(row.reached()) : "",
        number(latency.p50()),
        number(latency.p90()),
        number(latency.p99()),
        number(latency.p999()),
        number(latency.max()),
        ratio);
  }

  private static String whole(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}

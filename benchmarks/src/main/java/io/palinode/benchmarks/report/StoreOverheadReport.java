package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.StoreOverheadBenchmark.Load;
import io.palinode.benchmarks.StoreOverheadBenchmark.Result;
import io.palinode.benchmarks.StoreOverheadBenchmark.Setting;
import io.palinode.benchmarks.StoreOverheadBenchmark.Sides;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.List;
import java.util.Locale;

/** What was measured; its components are the JSON output. */
public record StoreOverheadReport(String machine, Setting setting, List<Row> rows)
    implements Output.Report {
  private static final double GOAL_PERCENT = 2;

  /**
   * One store under one load. Percents: throughput lost with the past, processor time added for an
   * operation, and what two rounds of the same node differ by.
   */
  record Row(
      @JsonUnwrapped Load load,
      @JsonUnwrapped Sides sides,
      Spread throughputLost,
      Spread cpuAdded,
      Spread noise,
      Verdict goal) {
    public static Row of(Result result) {
      Spread ratio = result.throughput();
      Spread lost = percent(1, -1, new Spread(ratio.median(), ratio.to(), ratio.from()));
      return new Row(
          result.load(),
          result.sides(),
          lost,
          percent(-1, 1, result.cpu()),
          percent(-1, 1, result.noise()),
          Verdict.of(lost, GOAL_PERCENT));
    }

    private static Spread percent(int offset, int sign, Spread ratio) {
      return new Spread(
          100 * (offset + sign * ratio.median()),
          100 * (offset + sign * ratio.from()),
          100 * (offset + sign * ratio.to()));
    }
  }

  public static StoreOverheadReport of(Setting setting, List<Result> results) {
    return new StoreOverheadReport(Machine.text(), setting, results.stream().map(Row::of).toList());
  }

  @Override
  public String table() {
    TextTable clients =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "keys",
                "writes",
                "operations/s off",
                "on",
                "p50 ms off",
                "on",
                "p99 ms off",
                "on",
                "CPU µs off",
                "on"));
    TextTable ratios =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "keys",
                "writes",
                "throughput lost",
                "from … to",
                "CPU added",
                "from … to",
                "noise, from … to",
                "goal: at most %.0f %% lost".formatted(GOAL_PERCENT)));
    for (Row row : rows) {
      clients.row(cells(row));
      ratios.row(
          List.of(
              "%,d".formatted(row.load().keys()),
              row.load().writePercent() + " %",
              percent(row.throughputLost().median()),
              Numbers.range(row.throughputLost(), 1),
              percent(row.cpuAdded().median()),
              Numbers.range(row.cpuAdded(), 1),
              Numbers.range(row.noise(), 1),
              row.goal().text()));
    }
    return String.format(
        Locale.ROOT,
        "%s%nvalues of %d bytes; %d clients; %d rounds of %.1f s of each node; seed %d%n%n%s%n%s",
        machine,
        setting.valueBytes(),
        setting.clients(),
        setting.rounds().rounds(),
        setting.rounds().roundSeconds(),
        setting.seed(),
        clients.render(),
        ratios.render());
  }

  private static List<String> cells(Row row) {
    return List.of(
        "%,d".formatted(row.load().keys()),
        row.load().writePercent() + " %",
        "%,.0f".formatted(row.sides().off().operationsPerSecond()),
        "%,.0f".formatted(row.sides().on().operationsPerSecond()),
        Numbers.fixed(row.sides().off().p50Ms(), 2),
        Numbers.fixed(row.sides().on().p50Ms(), 2),
        Numbers.fixed(row.sides().off().p99Ms(), 2),
        Numbers.fixed(row.sides().on().p99Ms(), 2),
        Numbers.fixed(row.sides().off().cpuMicros(), 1),
        Numbers.fixed(row.sides().on().cpuMicros(), 1));
  }

  private static String percent(double value) {
    return Numbers.fixed(value, 1) + " %";
  }
}

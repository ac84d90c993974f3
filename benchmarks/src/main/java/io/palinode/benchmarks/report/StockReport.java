package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.stock.StockBenchmark.Case;
import io.palinode.benchmarks.stock.StockBenchmark.Clients;
import io.palinode.benchmarks.stock.StockBenchmark.Result;
import io.palinode.benchmarks.stock.StockBenchmark.Setting;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.List;
import java.util.Locale;

/** What was measured; its components are the JSON output. */
public record StockReport(String machine, Setting setting, List<Row> rows)
    implements Output.Report {
  private static final double GOAL = 1.5;

  /** One load; the ratios are ours by stock's. */
  record Row(
      @JsonUnwrapped Case of,
      @JsonUnwrapped Sides sides,
      Spread throughputRatio,
      Spread p99Ratio,
      Spread perServerCpuRatio,
      Verdict goal) {
    private static Row of(Result result) {
      return new Row(
          result.of(),
          new Sides(ServerSide.of(result.sides().stock()), ServerSide.of(result.sides().ours())),
          result.throughput(),
          result.p99(),
          result.perServerCpu(),
          Verdict.atLeast(result.throughput(), GOAL));
    }
  }

  record Sides(ServerSide stock, ServerSide ours) {}

  /**
   * @param serverCpuMicros the server's processor time for an operation
   */
  record ServerSide(
      double operationsPerSecond, double p50Ms, double p99Ms, double serverCpuMicros) {
    private static ServerSide of(Side side) {
      return new ServerSide(
          side.operationsPerSecond(), side.p50Ms(), side.p99Ms(), side.cpuMicros());
    }
  }

  public static StockReport of(Setting setting, List<Result> results) {
    return new StockReport(Machine.text(), setting, results.stream().map(Row::of).toList());
  }

  @Override
  public String table() {
    TextTable sides =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "connections",
                "writes",
                "operations/s stock",
                "ours",
                "p50 ms stock",
                "ours",
                "p99 ms stock",
                "ours",
                "server CPU µs stock",
                "ours"));
    TextTable ratios =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "connections",
                "writes",
                "throughput, ours by stock",
                "from … to",
                "p99, ours by stock",
                "from … to",
                "per server CPU, ours by stock",
                "from … to",
                "goal: %.1f times the throughput".formatted(GOAL)));
    for (Row row : rows) {
      sides.row(sides(row));
      ratios.row(
          List.of(
              Integer.toString(row.of().connections()),
              row.of().writePercent() + " %",
              Numbers.fixed(row.throughputRatio().median(), 2),
              Numbers.range(row.throughputRatio(), 2),
              Numbers.fixed(row.p99Ratio().median(), 2),
              Numbers.range(row.p99Ratio(), 2),
              Numbers.fixed(row.perServerCpuRatio().median(), 2),
              Numbers.range(row.perServerCpuRatio(), 2),
              row.goal().text()));
    }
    return String.format(
        Locale.ROOT,
        "%s%n%,d keys, values of %d bytes; %d callers, connections of %s; a write is %s; %d rounds"
            + " of %.1f s of each after %.1f s of warm-up; heap %d MB each; seed %d%n%n%s%n%s",
        machine,
        setting.load().keys(),
        setting.load().valueBytes(),
        setting.load().callers(),
        setting.load().clients() == Clients.ONE ? "one client" : "a client each",
        setting.durability().name().toLowerCase(Locale.ROOT),
        setting.rounds().rounds(),
        setting.rounds().roundSeconds(),
        setting.warmUpSeconds(),
        setting.heapMegabytes(),
        setting.seed(),
        sides.render(),
        ratios.render());
  }

  private static List<String> sides(Row row) {
    return List.of(
        Integer.toString(row.of().connections()),
        row.of().writePercent() + " %",
        "%,.0f".formatted(row.sides().stock().operationsPerSecond()),
        "%,.0f".formatted(row.sides().ours().operationsPerSecond()),
        Numbers.fixed(row.sides().stock().p50Ms(), 2),
        Numbers.fixed(row.sides().ours().p50Ms(), 2),
        Numbers.fixed(row.sides().stock().p99Ms(), 2),
        Numbers.fixed(row.sides().ours().p99Ms(), 2),
        Numbers.fixed(row.sides().stock().serverCpuMicros(), 1),
        Numbers.fixed(row.sides().ours().serverCpuMicros(), 1));
  }
}

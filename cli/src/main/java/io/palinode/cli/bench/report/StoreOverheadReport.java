package io.palinode.cli.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.StoreOverheadBenchmark.Result;
import io.palinode.benchmarks.StoreOverheadBenchmark.Setting;
import io.palinode.benchmarks.StoreOverheadBenchmark.Side;
import io.palinode.cli.terminal.TextTable;
import java.util.List;
import java.util.Locale;

/** What was measured; its components are the JSON output. */
public record StoreOverheadReport(String machine, Setting setting, List<Row> rows) {
  private static final double GOAL_PERCENT = 2;

  /**
   * One store under one load. Percents: throughput lost with the past, processor time added for an
   * operation, and what two rounds of the same node differ by.
   */
  record Row(
      int keys,
      int writePercent,
      Side off,
      Side on,
      Spread throughputLost,
      Spread cpuAdded,
      Spread noise,
      Verdict goal) {
    public static Row of(Result result) {
      Spread ratio = result.throughput();
      Spread lost = percent(1, -1, new Spread(ratio.median(), ratio.to(), ratio.from()));
      return new Row(
          result.keys(),
          result.writePercent(),
          result.off(),
          result.on(),
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
              "%,d".formatted(row.keys()),
              row.writePercent() + " %",
              percent(row.throughputLost().median()),
              range(row.throughputLost()),
              percent(row.cpuAdded().median()),
              range(row.cpuAdded()),
              range(row.noise()),
              row.goal().text()));
    }
    return String.format(
        Locale.ROOT,
        "%s%nvalues of %d bytes; %d clients; %d rounds of %.1f s of each node; seed %d%n%n%s%n%s",
        machine,
        setting.valueBytes(),
        setting.clients(),
        setting.rounds(),
        setting.roundSeconds(),
        setting.seed(),
        clients.render(),
        ratios.render());
  }

  private static List<String> cells(Row row) {
    return List.of(
        "%,d".formatted(row.keys()),
        row.writePercent() + " %",
        "%,.0f".formatted(row.off().operationsPerSecond()),
        "%,.0f".formatted(row.on().operationsPerSecond()),
        number(row.off().p50Ms(), 2),
        number(row.on().p50Ms(), 2),
        number(row.off().p99Ms(), 2),
        number(row.on().p99Ms(), 2),
        number(row.off().cpuMicros(), 1),
        number(row.on().cpuMicros(), 1));
  }

  private static String percent(double value) {
    return number(value, 1) + " %";
  }

  private static String range(Spread spread) {
    return number(spread.from(), 1) + " … " + number(spread.to(), 1);
  }

  private static String number(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  public String json() throws JsonProcessingException {
    return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(this)
        + "\n";
  }
}

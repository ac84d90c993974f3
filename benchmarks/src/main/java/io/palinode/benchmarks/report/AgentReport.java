package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.stock.AgentBenchmark.Kind;
import io.palinode.benchmarks.stock.AgentBenchmark.Mode;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.Comparison.Beside;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was measured; its components are the JSON output.
 *
 * @param of where the agent was, and whose processor time it is
 * @param client whose they were
 */
public record AgentReport(String machine, Of of, Kind client, Setting setting, List<Row> rows)
    implements Output.Report {
  private static final double GOAL_PERCENT = 4;

  /** Where the agent is that is measured. */
  public enum Of {
    SERVER,
    CLIENT
  }

  /**
   * Percents: throughput lost to the agent, processor time added for an operation; absent where
   * there is no agent, of which {@code noise} is what neighbouring rounds differ by.
   */
  record Cost(@Nullable Spread throughputLost, @Nullable Spread cpuAdded, @Nullable Spread noise) {}

  /** A mode under one load. */
  record Row(
      int writePercent, Mode mode, Side side, @JsonUnwrapped Cost cost, @Nullable Verdict goal) {
    private static Row plain(Comparison of) {
      Spread noise = percent(of.noise());
      return new Row(of.writePercent(), Mode.NONE, of.none(), new Cost(null, null, noise), null);
    }

    private static Row beside(Comparison of, Beside beside) {
      Spread more = percent(beside.throughput());
      Spread lost = new Spread(-more.median(), -more.to(), -more.from());
      return new Row(
          of.writePercent(),
          beside.mode(),
          beside.side(),
          new Cost(lost, percent(beside.cpu()), null),
          Verdict.of(lost, GOAL_PERCENT));
    }

    private static Spread percent(Spread ratio) {
      return new Spread(
          100 * (ratio.median() - 1), 100 * (ratio.from() - 1), 100 * (ratio.to() - 1));
    }
  }

  public static AgentReport of(Of of, Kind client, Setting setting, List<Comparison> results) {
    List<Row> rows = new ArrayList<>();
    for (Comparison each : results) {
      rows.add(Row.plain(each));
      each.others().forEach(beside -> rows.add(Row.beside(each, beside)));
    }
    return new AgentReport(Machine.text(), of, client, setting, rows);
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "writes",
                "agent",
                "operations/s",
                "p50 ms",
                "p99 ms",
                of.name().toLowerCase(Locale.ROOT) + "'s CPU µs",
                "throughput lost",
                "from … to",
                "CPU added",
                "from … to",
                "goal: at most %.0f %% lost".formatted(GOAL_PERCENT)));
    rows.forEach(row -> table.row(cells(row)));
    return String.format(
        Locale.ROOT,
        "%s%n%,d keys, values of %d bytes; %d clients, %s; %d rounds of %.1f s of each; seed %d%n%n%s",
        machine,
        setting.load().keys(),
        setting.load().valueBytes(),
        setting.load().clients(),
        client == Kind.OURS ? "ours" : "Voldemort's own",
        setting.rounds().rounds(),
        setting.rounds().roundSeconds(),
        setting.seed(),
        table.render());
  }

  private List<String> cells(Row row) {
    Spread lost = row.cost().throughputLost();
    Spread cpu = row.cost().cpuAdded();
    Spread noise = row.cost().noise();
    return List.of(
        row.writePercent() + " %",
        name(row.mode()),
        "%,.0f".formatted(row.side().operationsPerSecond()),
        Numbers.fixed(row.side().p50Ms(), 2),
        Numbers.fixed(row.side().p99Ms(), 2),
        Numbers.fixed(row.side().cpuMicros(), 1),
        lost == null ? "" : Numbers.fixed(lost.median(), 1) + " %",
        lost == null
            ? (noise == null ? "" : "noise " + Numbers.range(noise, 1))
            : Numbers.range(lost, 1),
        cpu == null ? "" : Numbers.fixed(cpu.median(), 1) + " %",
        cpu == null ? "" : Numbers.range(cpu, 1),
        row.goal() == null ? "" : row.goal().text());
  }

  private String name(Mode mode) {
    return switch (mode) {
      case NONE -> "none";
      case AGENT -> of == Of.CLIENT ? "in the client" : "no predicate";
      case PREDICATES -> "a predicate";
    };
  }
}

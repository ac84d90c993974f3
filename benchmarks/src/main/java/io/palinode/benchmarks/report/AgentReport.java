package io.palinode.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Side;
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

  /** A mode under one load. */
  record Row(
      int writePercent, Mode mode, Side side, @JsonUnwrapped Cost cost, @Nullable Verdict goal) {
    private static Row plain(Comparison<Mode> of) {
      return new Row(of.writePercent(), Mode.NONE, of.none(), Cost.none(of), null);
    }

    private static Row beside(Comparison<Mode> of, Beside<Mode> beside) {
      Cost cost = Cost.of(beside);
      return new Row(
          of.writePercent(), beside.mode(), beside.side(), cost, cost.verdict(GOAL_PERCENT));
    }
  }

  public static AgentReport of(
      Of of, Kind client, Setting setting, List<Comparison<Mode>> results) {
    List<Row> rows = new ArrayList<>();
    for (Comparison<Mode> each : results) {
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
    List<String> cells = new ArrayList<>();
    cells.add(row.writePercent() + " %");
    cells.add(name(row.mode()));
    cells.addAll(Numbers.cells(row.side()));
    cells.addAll(row.cost().cells());
    cells.add(row.goal() == null ? "" : row.goal().text());
    return cells;
  }

  private String name(Mode mode) {
    return switch (mode) {
      case NONE -> "none";
      case AGENT -> of == Of.CLIENT ? "in the client" : "no predicate";
      case PREDICATES -> "a predicate";
    };
  }
}

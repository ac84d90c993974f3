package io.palinode.benchmarks.report;

import io.palinode.benchmarks.Spread;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What watching costs an application; its components are the JSON output.
 *
 * @param ratio operations per second, watched by unwatched, over all pairs
 * @param unwatched of each pair, in their order; so is {@code watched}
 */
public record WatchingReport(
    String machine,
    String setting,
    Spread ratio,
    double goalRatio,
    Verdict goal,
    List<Run> unwatched,
    List<Run> watched)
    implements Output.Report {
  private static final String PROCESS = "process";

  /**
   * One run of the application.
   *
   * @param cpuMicros microseconds of processor time per operation: of the process, and of each part
   */
  public record Run(double operationsPerSecond, Map<String, Double> cpuMicros) {
    public Run {
      cpuMicros = new LinkedHashMap<>(cpuMicros);
    }
  }

  /** A run without detection and one with it, one right after the other. */
  public record Pair(Run unwatched, Run watched) {
    double ratio() {
      return watched.operationsPerSecond() / unwatched.operationsPerSecond();
    }
  }

  /**
   * @param setting what ran, for a person
   * @param goal the least ratio that is good enough
   */
  public static WatchingReport of(String setting, double goal, List<Pair> pairs) {
    Spread ratio = Spread.of(pairs.stream().mapToDouble(Pair::ratio).toArray());
    return new WatchingReport(
        Machine.text(),
        setting,
        ratio,
        goal,
        Verdict.atLeast(ratio, goal),
        pairs.stream().map(Pair::unwatched).toList(),
        pairs.stream().map(Pair::watched).toList());
  }

  @Override
  public String table() {
    TextTable table =
        new TextTable(TextTable.Align.RIGHT, List.of("", "unwatched", "watched", "added"));
    row(table, "operations/s", Run::operationsPerSecond);
    row(table, "CPU µs an operation", run -> run.cpuMicros().getOrDefault(PROCESS, 0.0));
    for (String part : unwatched.get(0).cpuMicros().keySet()) {
      if (!part.equals(PROCESS)) {
        row(table, part, run -> run.cpuMicros().getOrDefault(part, 0.0));
      }
    }
    return String.format(
        Locale.ROOT,
        "%s%n%s; medians of %d pairs%n%n%s%nwatched by unwatched: %s (%s); goal at least %s: %s%n",
        machine,
        setting,
        watched.size(),
        table.render(),
        Numbers.fixed(ratio.median(), 2),
        Numbers.range(ratio, 2),
        Numbers.fixed(goalRatio, 2),
        goal.text());
  }

  private void row(TextTable table, String name, ToDoubleFunction<Run> figure) {
    double before = median(unwatched, figure);
    double after = median(watched, figure);
    table.row(List.of(name, whole(before), whole(after), whole(after - before)));
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
    return Spread.of(runs.stream().mapToDouble(figure).toArray()).median();
  }

  private static String whole(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}

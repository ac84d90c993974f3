package io.palinode.benchmarks.report;

import io.palinode.benchmarks.windowlog.Goals;
import io.palinode.benchmarks.windowlog.Goals.Goal;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Contestant;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.DiffFigures;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Figures;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Result;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Sizes;
import io.palinode.terminal.Output;
import io.palinode.terminal.TextTable;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What was measured; its components are the JSON output. */
public record WindowLogReport(String machine, int entries, int rounds, long seed, List<Case> cases)
    implements Output.Report {

  /** One size of keys and values. */
  record Case(Sizes sizes, Map<Contestant, Figures> figures, Map<Contestant, List<Goal>> goals) {
    public static Case of(Result result) {
      Map<Contestant, List<Goal>> goals = new EnumMap<>(Contestant.class);
      goals.put(Contestant.ALONE, Goals.of(result, Contestant.ALONE));
      goals.put(Contestant.HELPED, Goals.of(result, Contestant.HELPED));
      return new Case(result.sizes(), result.figures(), goals);
    }

    public Figures of(Contestant contestant) {
      return Objects.requireNonNull(figures.get(contestant));
    }

    List<Goal> goals(Contestant contestant) {
      return Objects.requireNonNull(goals.get(contestant));
    }
  }

  public static WindowLogReport of(List<Result> results, int entries, int rounds, long seed) {
    return new WindowLogReport(
        describeMachine(), entries, rounds, seed, results.stream().map(Case::of).toList());
  }

  public static String describeMachine() {
    String collectors =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(each -> each.getName())
            .collect(Collectors.joining(" and "));
    return "Java %s, %s, %d cores, heap %,d MiB, %s"
        .formatted(
            System.getProperty("java.version"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors(),
            Runtime.getRuntime().maxMemory() >> 20,
            collectors);
  }

  public static String name(Sizes sizes) {
    return sizes.keyBytes() + "/" + sizes.valueBytes();
  }

  @Override
  public String table() {
    StringBuilder text = new StringBuilder(machine);
    text.append(String.format(Locale.ROOT, "; %,d entries; seed %d%n", entries, seed));
    for (Case each : cases) {
      text.append("\nkeys and values of ").append(name(each.sizes())).append(" bytes\n\n");
      text.append(appends(each)).append('\n');
      text.append(differences(each)).append('\n');
      text.append(goals(each));
    }
    return text.toString();
  }

  private static String appends(Case of) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of("one change", "simple", "ours", "times", "ours, helped", "times"));
    row(table, of, "append, at hand, ns", f -> f.atHand().fillNanos());
    row(table, of, "append, fresh, ns", f -> f.fresh().fillNanos());
    row(table, of, "moving window, at hand, ns", f -> f.atHand().slideNanos());
    row(table, of, "moving window, fresh, ns", f -> f.fresh().slideNanos());
    row(table, of, "worst pause, at hand, ms", f -> f.atHand().worstPauseMillis());
    row(table, of, "worst pause, fresh, ms", f -> f.fresh().worstPauseMillis());
    row(table, of, "memory kept, bytes", f -> f.memory().keptBytes());
    row(table, of, "of that bookkeeping, bytes", f -> f.memory().bookkeepingBytes());
    row(table, of, "allocated by an append, bytes", f -> f.memory().allocatedBytes());
    return table.render();
  }

  private static void row(TextTable table, Case of, String name, Function<Figures, Double> figure) {
    double simple = figure.apply(of.of(Contestant.LINKED));
    double alone = figure.apply(of.of(Contestant.ALONE));
    double helped = figure.apply(of.of(Contestant.HELPED));
    table.row(
        List.of(
            name,
            number(simple),
            number(alone),
            ratio(simple, alone),
            number(helped),
            ratio(simple, helped)));
  }

  private static String differences(Case of) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "difference, ns a change",
                "keys changed",
                "simple",
                "ours",
                "times",
                "simple, sized",
                "times",
                "simple, read",
                "ours, read",
                "times"));
    List<DiffFigures> simple = of.of(Contestant.LINKED).diffs();
    List<DiffFigures> ours = of.of(Contestant.ALONE).diffs();
    for (int i = 0; i < ours.size(); i++) {
      DiffFigures one = simple.get(i);
      DiffFigures other = ours.get(i);
      table.row(
          List.of(
              String.format(Locale.ROOT, "%,d, %s", other.entries(), other.spread())
                  .toLowerCase(Locale.ROOT)
                  .replace("eighty_twenty", "80/20"),
              String.format(Locale.ROOT, "%,d", other.keys()),
              number(one.nanos()),
              number(other.nanos()),
              ratio(one.nanos(), other.nanos()),
              number(one.sizedNanos()),
              ratio(one.sizedNanos(), other.nanos()),
              number(one.readNanos()),
              number(other.readNanos()),
              ratio(one.readNanos(), other.readNanos())));
    }
    return table.render();
  }

  private static String goals(Case of) {
    TextTable table =
        new TextTable(TextTable.Align.RIGHT, List.of("goal", "", "ours", "", "helped", ""));
    List<Goal> helped = new ArrayList<>(of.goals(Contestant.HELPED));
    for (Goal goal : of.goals(Contestant.ALONE)) {
      Goal other = helped.remove(0);
      table.row(
          List.of(
              goal.what(),
              (goal.least() ? "at least " : "at most ") + number(goal.goal()) + " " + goal.unit(),
              number(goal.measured()),
              goal.isMet() ? "met" : "NOT MET",
              number(other.measured()),
              other.isMet() ? "met" : "NOT MET"));
    }
    return table.render();
  }

  private static String ratio(double simple, double ours) {
    return ours < 0.05 ? "" : String.format(Locale.ROOT, "%.1f", simple / ours);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 20 ? "%.1f" : "%,.0f", value);
  }
}

package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.Turns;
import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Curve;
import io.palinode.benchmarks.paper.Curve.Line;
import io.palinode.benchmarks.paper.Curve.Point;
import io.palinode.benchmarks.paper.Printed;
import io.palinode.benchmarks.paper.Row;
import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions.Conflict;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import io.palinode.demo.report.ModeResult.DetectionLatency;
import io.palinode.demo.report.ModeResult.RollbackTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How often violations happen, and what their rollbacks cost, by delay and by conflict. Where they
 * cost more than sequential consistency, keys become sequential.
 */
final class RollbacksTable implements PaperTable {
  private static final String PAPER = "Optimistic Execution in Key-Value Store";
  private static final int CLIENTS = 6;
  private static final List<Setting> SETTINGS =
      List.of(
          new Setting(Network.NONE, 0.05, Conflict.USUAL, 20),
          new Setting(Network.REGIONAL, 0.5, Conflict.USUAL, 20),
          new Setting(Network.CONTINENTAL, 24, Conflict.USUAL, 6),
          new Setting(Network.GLOBAL, 92, Conflict.USUAL, 2),
          new Setting(Network.NONE, 0.05, Conflict.HIGH, 100),
          new Setting(Network.REGIONAL, 0.5, Conflict.HIGH, 100),
          new Setting(Network.CONTINENTAL, 24, Conflict.HIGH, 12),
          new Setting(Network.GLOBAL, 92, Conflict.HIGH, 8));

  private static final double TASKS = 1_000;

  private static final double PRINTED_TASKS = 2_098;
  private static final double PRINTED_VIOLATIONS = 0.477;

  /** As many times the printed tasks without a violation would refute the printed figure. */
  private static final double ENOUGH = 3;

  /**
   * What is measured in turns.
   *
   * @param delayMs one way between two of the first three regions, on average; without a modelled
   *     delay about what this machine takes
   * @param rounds how often each vertex is coloured, or each of those in conflict
   */
  record Setting(Network network, double delayMs, Conflict conflict, int rounds) {
    /** Where time is short. */
    private int quickRounds() {
      return conflict == Conflict.HIGH ? 3 : 1;
    }

    private String id(String figure) {
      return "rollbacks.%s.%s.%s".formatted(lower(network), lower(conflict), figure);
    }

    private String text(String figure) {
      return "%s, %s conflict: %s".formatted(lower(network), lower(conflict), figure);
    }

    private boolean isPrinted() {
      return network == Network.REGIONAL && conflict == Conflict.USUAL;
    }

    private static String lower(Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String name() {
    return "rollbacks";
  }

  @Override
  public String title() {
    return "How often violations happen, and what rollbacks cost, by delay and conflict";
  }

  @Override
  public int steps(Budget budget) {
    return 2 * (1 + settings(budget).size() * pairs(budget));
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.equals(Budget.FULL) ? 40 : 20;
  }

  private static int pairs(Budget budget) {
    return budget.equals(Budget.FULL) ? 3 : 1;
  }

  /** Where time is short, those that are rolled back most. */
  private static List<Setting> settings(Budget budget) {
    return SETTINGS.stream()
        .filter(setting -> budget.equals(Budget.FULL) || setting.network == Network.GLOBAL)
        .toList();
  }

  @Override
  public void measure(Session session) throws IOException, InterruptedException {
    DemoGraph graph = DemoGraph.parse(session.budget().graph(), session.seed());
    session.setting(
        "graph application on %s, %d clients on %d nodes; sequential R=1 W=N, eventual R=1 W=1 with"
                .formatted(graph.name(), CLIENTS, GraphRuns.NODES)
            + " rollbacks; delays between clients and nodes are modelled; with usual conflict each"
            + " client has a region of the graph, with high conflict all work on the vertices with"
            + " most neighbours");
    Map<Conflict, List<Point>> speed = new EnumMap<>(Conflict.class);
    for (Setting setting : settings(session.budget())) {
      Turns<ModeResult> turns = turns(setting, speed.isEmpty(), graph, session);
      rows(setting, turns).forEach(session::add);
      speed
          .computeIfAbsent(setting.conflict, any -> new ArrayList<>())
          .add(new Point(setting.delayMs, speed(turns)));
    }
    session.add(
        new Curve(
            "Tasks per second of eventual consistency with rollbacks, by those of sequential",
            "delay between nodes, ms; 0.05: none is modelled",
            "eventual / sequential",
            speed.entrySet().stream()
                .map(line -> new Line(Setting.lower(line.getKey()) + " conflict", line.getValue()))
                .toList()));
  }

  private static Turns<ModeResult> turns(
      Setting setting, boolean cold, DemoGraph graph, Session session)
      throws IOException, InterruptedException {
    Budget budget = session.budget();
    int rounds = budget.equals(Budget.FULL) ? setting.rounds : setting.quickRounds();
    GraphRuns runs =
        new GraphRuns(
            graph,
            setting.network,
            GraphRuns.NODES,
            GraphRuns.usual(CLIENTS, rounds).withConflict(setting.conflict),
            session.seed());
    Turns.Measure<ModeResult> measure =
        side -> {
          Mode mode = side == Turns.Side.BASE ? Mode.SEQUENTIAL : Mode.WATCHED;
          session.step(setting.text(mode.label()));
          return runs.run(mode, new PrintWriter(Writer.nullWriter()));
        };
    return cold ? Turns.run(pairs(budget), measure) : Turns.runWarm(pairs(budget), measure);
  }

  static List<Row> rows(Setting setting, Turns<ModeResult> turns) {
    List<ModeResult> watched = turns.other();
    List<Row> rows = new ArrayList<>();
    rows.add(violations(setting, watched));
    rows.add(
        some(
            setting,
            "found",
            "time until a violation is detected, median of a run",
            setting.isPrinted() ? Printed.figure(20, PAPER) : null,
            watched,
            run -> run.detected().latencyMs(),
            DetectionLatency::p50));
    rows.add(
        Row.of(
            setting.id("wasted"),
            setting.text("operations that rollbacks discard"),
            "%",
            Better.LOWER,
            null,
            watched.stream().map(RollbacksTable::wastedPercent).toList(),
            ""));
    rows.add(
        some(
            setting,
            "time",
            "time of a rollback, median of a run",
            null,
            watched,
            run -> run.rolledBack().timeMs(),
            RollbackTime::p50));
    rows.add(
        Row.effect(
            setting.id("gain"),
            setting.text("tasks per second, over sequential"),
            "%",
            Better.HIGHER,
            null,
            turns.gained(run -> run.work().tasksPerSecond()),
            GraphRuns.outcome(watched)));
    return rows;
  }

  private static Row violations(Setting setting, List<ModeResult> watched) {
    double tasks = watched.stream().mapToLong(run -> run.work().tasks()).sum() / (double) CLIENTS;
    return Row.of(
        setting.id("violations"),
        setting.text("violations in 1,000 tasks of a client"),
        "violations",
        Better.LOWER,
        setting.isPrinted() && tasks >= ENOUGH * PRINTED_TASKS
            ? Printed.figure(PRINTED_VIOLATIONS, PAPER)
            : null,
        watched.stream().map(RollbacksTable::violationsInTasks).toList(),
        setting.isPrinted()
            ? "printed: 1 after %,.0f tasks of a client; here a client had %,.0f in all runs"
                .formatted(PRINTED_TASKS, tasks)
            : "");
  }

  /** A figure of the runs that have it. */
  private static <T> Row some(
      Setting setting,
      String id,
      String what,
      @Nullable Printed printed,
      List<ModeResult> watched,
      Function<ModeResult, @Nullable T> part,
      ToDoubleFunction<T> figure) {
    List<Double> values =
        watched.stream().map(part).filter(Objects::nonNull).map(figure::applyAsDouble).toList();
    return values.isEmpty()
        ? Row.notHere(setting.id(id), setting.text(what), "ms", printed, "no run had one")
        : Row.of(setting.id(id), setting.text(what), "ms", Better.LOWER, printed, values, "");
  }

  private static double violationsInTasks(ModeResult run) {
    return run.detected().violations() * TASKS * CLIENTS / run.work().tasks();
  }

  private static double wastedPercent(ModeResult run) {
    return 100.0 * run.rolledBack().wastedOperations() / run.work().operations();
  }

  private static double speed(Turns<ModeResult> turns) {
    return Spread.of(turns.ratios(run -> run.work().tasksPerSecond()).values()).median();
  }
}

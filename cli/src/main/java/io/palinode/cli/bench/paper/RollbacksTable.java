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
import io.palinode.demo.DemoOptions.Load;
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

  /** Sequential clients in conflict are slow over a delay. */
  private static final int QUICK_HUB_ROUNDS = 3;

  private static final double TASKS = 1_000;

  /** One after 2,098 tasks. */
  private static final double PRINTED_VIOLATIONS = 0.477;

  /**
   * What is measured in turns.
   *
   * @param delayMs one way between two of the first three regions, on average
   */
  record Setting(Network network, double delayMs, Conflict conflict) {
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
    return networks(budget).size() * Conflict.values().length * 2 * (1 + pairs(budget));
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.equals(Budget.FULL) ? 60 : 18;
  }

  private static int pairs(Budget budget) {
    return budget.equals(Budget.FULL) ? 3 : 1;
  }

  private static List<Network> networks(Budget budget) {
    return budget.equals(Budget.FULL)
        ? List.of(Network.REGIONAL, Network.CONTINENTAL, Network.GLOBAL)
        : List.of(Network.GLOBAL);
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
    for (Conflict conflict : Conflict.values()) {
      for (Network network : networks(session.budget())) {
        Setting setting = new Setting(network, delayMs(network), conflict);
        Turns<ModeResult> turns = turns(setting, graph, session);
        rows(setting, turns).forEach(session::add);
        speed
            .computeIfAbsent(conflict, any -> new ArrayList<>())
            .add(new Point(setting.delayMs, speed(turns)));
      }
    }
    session.add(
        new Curve(
            "Tasks per second of eventual consistency with rollbacks, by those of sequential",
            "delay between nodes, ms",
            "eventual / sequential",
            speed.entrySet().stream()
                .map(line -> new Line(Setting.lower(line.getKey()) + " conflict", line.getValue()))
                .toList()));
  }

  private static double delayMs(Network network) {
    return switch (network) {
      case NONE -> throw new IllegalArgumentException("no delay is measured");
      case REGIONAL -> 0.5;
      case CONTINENTAL -> 24;
      case GLOBAL -> 92;
    };
  }

  private static Turns<ModeResult> turns(Setting setting, DemoGraph graph, Session session)
      throws IOException, InterruptedException {
    boolean full = session.budget().equals(Budget.FULL);
    Load load =
        setting.conflict == Conflict.HIGH
            ? GraphRuns.inConflict(CLIENTS, full ? 0 : QUICK_HUB_ROUNDS)
            : GraphRuns.usual(CLIENTS, full ? 0 : 1);
    GraphRuns runs = new GraphRuns(graph, setting.network, GraphRuns.NODES, load, session.seed());
    return Turns.run(
        pairs(session.budget()),
        side -> {
          Mode mode = side == Turns.Side.BASE ? Mode.SEQUENTIAL : Mode.WATCHED;
          session.step(setting.text(mode.label()));
          return runs.run(mode, new PrintWriter(Writer.nullWriter()));
        });
  }

  static List<Row> rows(Setting setting, Turns<ModeResult> turns) {
    List<ModeResult> watched = turns.other();
    List<Row> rows = new ArrayList<>();
    rows.add(
        Row.of(
            setting.id("violations"),
            setting.text("violations in 1,000 tasks of a client"),
            "violations",
            Better.LOWER,
            setting.isPrinted() ? Printed.figure(PRINTED_VIOLATIONS, PAPER) : null,
            watched.stream().map(RollbacksTable::violationsInTasks).toList(),
            setting.isPrinted() ? "printed: one after 2,098 tasks of a client" : ""));
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
            turns.gained(GraphRuns::tasksPerSecond),
            GraphRuns.outcome(watched)));
    return rows;
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
    return Spread.of(turns.ratios(GraphRuns::tasksPerSecond).values()).median();
  }
}

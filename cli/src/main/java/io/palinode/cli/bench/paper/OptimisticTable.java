package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.Turns;
import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Printed;
import io.palinode.benchmarks.paper.Row;
import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Eventual consistency with the monitor and rollbacks beside sequential consistency. */
final class OptimisticTable implements PaperTable {
  private static final String PAPER = "Optimistic Execution in Key-Value Store, 50 % puts";
  private static final List<Setting> SETTINGS =
      List.of(
          new Setting(Network.REGIONAL, 3, 10, null),
          new Setting(Network.REGIONAL, 3, 25, null),
          new Setting(Network.REGIONAL, 3, 50, Printed.figure(23, PAPER)),
          new Setting(Network.REGIONAL, 2, 50, Printed.figure(25, PAPER)),
          new Setting(Network.REGIONAL, 5, 50, Printed.figure(36, PAPER)),
          new Setting(Network.GLOBAL, 3, 10, null),
          new Setting(Network.GLOBAL, 3, 25, null),
          new Setting(Network.GLOBAL, 3, 50, null));

  private static final int QUICK_ROUNDS = 20;

  /**
   * What a row is measured with: a client a node, and all keys on each node.
   *
   * @param putPercent of the operations outside of sections
   */
  private record Setting(Network network, int nodes, int putPercent, @Nullable Printed printed) {
    private String id() {
      return "optimistic.%s.%d%s"
          .formatted(place(), putPercent, nodes == GraphRuns.NODES ? "" : ".n" + nodes);
    }

    private String text() {
      return "%s, N = %d, %d %% puts".formatted(place(), nodes, putPercent);
    }

    private String place() {
      return network.name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String name() {
    return "optimistic";
  }

  @Override
  public String title() {
    return "Tasks per second that eventual consistency with rollbacks gains over sequential";
  }

  @Override
  public int steps(Budget budget) {
    return settings(budget).size() * 2 * (1 + pairs(budget));
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.equals(Budget.FULL) ? 60 : 14;
  }

  /** Where time is short, half puts on three nodes. */
  private static List<Setting> settings(Budget budget) {
    return budget.equals(Budget.FULL)
        ? SETTINGS
        : SETTINGS.stream()
            .filter(setting -> setting.putPercent == 50 && setting.nodes == GraphRuns.NODES)
            .toList();
  }

  /** These runs are the longest. */
  private static int pairs(Budget budget) {
    return Math.max(2, budget.pairs() / 2);
  }

  @Override
  public void measure(Session session) throws IOException, InterruptedException {
    DemoGraph graph = DemoGraph.parse(session.budget().graph(), session.seed());
    session.setting(
        "graph application on %s, a client a node; sequential R=1 W=N, eventual R=1 W=1 with"
                .formatted(graph.name())
            + " rollbacks; delays between clients and nodes are modelled; the share of puts is of"
            + " the operations outside of sections");
    for (Setting setting : settings(session.budget())) {
      row(setting, graph, session);
    }
    session.add(
        Row.notHere(
            "optimistic.machines",
            "nodes and clients on machines in one region and in several",
            "%",
            new Printed(50, 80, "Technical Report: Optimistic Execution in Key-Value Store"),
            "there is one machine; the rows above model the delays"));
  }

  private static void row(Setting setting, DemoGraph graph, Session session)
      throws IOException, InterruptedException {
    GraphRuns runs =
        new GraphRuns(
            graph,
            setting.network,
            setting.nodes,
            GraphRuns.usual(setting.nodes, rounds(setting.network, session.budget()))
                .withPutPercent(setting.putPercent),
            session.seed());
    Turns<ModeResult> turns =
        Turns.run(pairs(session.budget()), side -> colour(setting.text(), runs, side, session));
    session.add(
        Row.effect(
            setting.id(),
            setting.text(),
            "%",
            Better.HIGHER,
            setting.printed,
            turns.gained(run -> run.work().tasksPerSecond()),
            GraphRuns.outcome(turns.other())));
  }

  /** Enough tasks for some seconds. */
  private static int rounds(Network network, Budget budget) {
    if (budget.equals(Budget.FULL)) {
      return 0;
    }
    return budget.equals(Budget.QUICK) && network == Network.REGIONAL ? QUICK_ROUNDS : 1;
  }

  private static ModeResult colour(String what, GraphRuns runs, Turns.Side side, Session session) {
    Mode mode = side == Turns.Side.BASE ? Mode.SEQUENTIAL : Mode.WATCHED;
    session.step(what + ", " + mode.label());
    return runs.run(mode, new PrintWriter(Writer.nullWriter()));
  }
}

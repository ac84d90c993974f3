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
  private static final String PAPER =
      "Optimistic Execution in Key-Value Store, N3R1W1 with monitor beside N3R1W3";
  private static final List<Network> NETWORKS = List.of(Network.REGIONAL, Network.GLOBAL);
  private static final int CLIENTS = 3;
  private static final int QUICK_ROUNDS = 20;

  /** A share of puts in percent, and the printed gain. */
  private enum Puts {
    FEW(10, 25),
    SOME(25, 23),
    HALF(50, 36);

    private final int percent;
    private final double printed;

    Puts(int percent, double printed) {
      this.percent = percent;
      this.printed = printed;
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
    return NETWORKS.size() * Puts.values().length * 2 * (1 + pairs(budget));
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.equals(Budget.FULL) ? 60 : 10;
  }

  /** These runs are the longest. */
  private static int pairs(Budget budget) {
    return Math.max(2, budget.pairs() / 2);
  }

  @Override
  public void measure(Session session) throws IOException, InterruptedException {
    DemoGraph graph = DemoGraph.parse(session.budget().graph(), session.seed());
    session.setting(
        "graph application on %s, %d clients; sequential N=3 R=1 W=3, eventual N=3 R=1 W=1 with"
                .formatted(graph.name(), CLIENTS)
            + " rollbacks; delays between clients and nodes are modelled; the share of puts is of"
            + " the operations outside of sections");
    for (Network network : NETWORKS) {
      for (Puts puts : Puts.values()) {
        row(network, puts, graph, session);
      }
    }
    session.add(
        Row.notHere(
            "optimistic.settings",
            "sequential with R + W > N by other R and W, and N = 5",
            "%",
            null,
            "this table has three nodes, and is sequential by W = N"));
    session.add(
        Row.notHere(
            "optimistic.machines",
            "nodes and clients on machines in one region and in several",
            "%",
            new Printed(50, 80, "Technical Report: Optimistic Execution in Key-Value Store"),
            "there is one machine; the rows above model the delays"));
  }

  private static void row(Network network, Puts puts, DemoGraph graph, Session session)
      throws IOException, InterruptedException {
    GraphRuns runs =
        new GraphRuns(
            graph,
            network,
            CLIENTS,
            rounds(network, session.budget()),
            GraphRuns.WORK,
            puts.percent,
            session.seed());
    String what = "%s, %d %% puts".formatted(network.name().toLowerCase(Locale.ROOT), puts.percent);
    Turns<ModeResult> turns =
        Turns.run(pairs(session.budget()), side -> colour(what, runs, side, session));
    session.add(
        Row.effect(
            "optimistic.%s.%d".formatted(network.name().toLowerCase(Locale.ROOT), puts.percent),
            what,
            "%",
            Better.HIGHER,
            printed(network, puts),
            turns.gained(OptimisticTable::tasksPerSecond),
            note(turns.other())));
  }

  /** Enough tasks for some seconds. */
  private static int rounds(Network network, Budget budget) {
    if (budget.equals(Budget.FULL)) {
      return 0;
    }
    return budget.equals(Budget.QUICK) && network == Network.REGIONAL ? QUICK_ROUNDS : 1;
  }

  private static @Nullable Printed printed(Network network, Puts puts) {
    return network == Network.REGIONAL ? Printed.figure(puts.printed, PAPER) : null;
  }

  /** Work that stands: operations would count what rollbacks discard. */
  private static double tasksPerSecond(ModeResult run) {
    return run.work().tasks() / run.work().elapsedSeconds();
  }

  private static String note(List<ModeResult> watched) {
    long rollbacks = watched.stream().mapToLong(run -> run.rolledBack().rollbacks()).sum();
    long wrong = watched.stream().filter(run -> !run.answer().isRight()).count();
    return "%d rollbacks in %d runs%s"
        .formatted(
            rollbacks, watched.size(), wrong == 0 ? "" : "; " + wrong + " ANSWERS ARE WRONG");
  }

  private static ModeResult colour(String what, GraphRuns runs, Turns.Side side, Session session) {
    Mode mode = side == Turns.Side.BASE ? Mode.SEQUENTIAL : Mode.WATCHED;
    session.step(what + ", " + mode.label());
    return runs.run(mode, new PrintWriter(Writer.nullWriter()));
  }
}

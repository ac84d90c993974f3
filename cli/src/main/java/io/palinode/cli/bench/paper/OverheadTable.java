package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Turns;
import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Printed;
import io.palinode.benchmarks.paper.Row;
import io.palinode.cli.bench.paper.ConjunctiveCluster.Size;
import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;

/** What watching costs clients. */
final class OverheadTable implements PaperTable {
  static final String SWAPPED =
      "in print the rows 'Monitor: Yes' and 'No' are evidently swapped, or the store would be"
          + " faster with the monitor";
  private static final String PAPER = "Optimistic Execution in Key-Value Store";
  private static final int CLIENTS = 6;
  private static final int QUICK_ROUNDS = 10;
  private static final double RAMP_SECONDS = 2;

  @Override
  public String name() {
    return "overhead";
  }

  @Override
  public String title() {
    return "Throughput that watching costs, in percent of the unwatched";
  }

  @Override
  public int steps(Budget budget) {
    return 2 * (1 + budget.pairs())
        + sizes(budget).stream().mapToInt(size -> 2 * (1 + pairs(size, budget))).sum();
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.seconds() + RAMP_SECONDS + 7;
  }

  @Override
  public void measure(Session session) throws IOException, InterruptedException {
    GraphRuns graph =
        new GraphRuns(
            DemoGraph.parse("karate", session.seed()),
            Network.NONE,
            GraphRuns.NODES,
            GraphRuns.usual(CLIENTS, session.budget().equals(Budget.FULL) ? 0 : QUICK_ROUNDS),
            session.seed());
    session.setting(
        "graph: %s; conjunction: 10 terms, beta 1 %%, 50 %% puts; R=1 W=1; clients, nodes and"
                .formatted(graph.text())
            + " detection share this machine");
    Turns<ModeResult> colouring =
        Turns.run(session.budget().pairs(), side -> colour(graph, side, session));
    session.add(
        Row.effect(
            "overhead.graph",
            "graph application, 1 - watched/unwatched",
            "%",
            Better.LOWER,
            new Printed(0.9, 4, PAPER + ", its three applications: 2, 0.9 and 4 %"),
            colouring.lost(run -> run.work().operationsPerSecond()),
            "printed: 2, 0.9 and 4; " + SWAPPED));
    session.add(
        cpu(
            "overhead.graph.cpu",
            "graph application, processor time added",
            colouring.gained(
                run -> run.work().cpuMicrosPerOperation().getOrDefault("process", 0.0))));
    for (Size size : sizes(session.budget())) {
      conjunction(size, session);
    }
    session.add(
        Row.notHere(
            "overhead.machines",
            "monitors on machines of their own",
            "%",
            new Printed(0.9, 13, PAPER),
            "there is one machine, so all that detection takes, clients lose"));
  }

  private static void conjunction(Size size, Session session)
      throws IOException, InterruptedException {
    Turns<Side> turns =
        Turns.run(pairs(size, session.budget()), side -> conjunction(size, side, session));
    String id = "overhead.conjunction" + (size.equals(ConjunctiveCluster.USUAL) ? "" : id(size));
    session.add(
        Row.effect(
            id,
            text(size) + ", 1 - watched/unwatched",
            "%",
            Better.LOWER,
            new Printed(4, 13, PAPER + ", conjunctive predicates, N = 3 and 5"),
            turns.lost(Side::operationsPerSecond),
            SWAPPED));
    session.add(
        cpu(id + ".cpu", text(size) + ", processor time added", turns.gained(Side::cpuMicros)));
  }

  /** The usual one, and the others of the paper where there is time. */
  private static List<Size> sizes(Budget budget) {
    return budget.equals(Budget.FULL)
        ? List.of(ConjunctiveCluster.USUAL, new Size(3, 4), new Size(5, 2), new Size(5, 4))
        : List.of(ConjunctiveCluster.USUAL);
  }

  private static int pairs(Size size, Budget budget) {
    return size.equals(ConjunctiveCluster.USUAL) ? budget.pairs() : (1 + budget.pairs()) / 2;
  }

  private static String id(Size size) {
    return ".n%dc%d".formatted(size.nodes(), size.clientsANode());
  }

  private static String text(Size size) {
    return "conjunction, N = %d, %d clients a node".formatted(size.nodes(), size.clientsANode());
  }

  private static Row cpu(String id, String what, Turns.Effect effect) {
    return Row.effect(id, what, "%", Better.LOWER, null, effect, "per operation, all parts");
  }

  private static ModeResult colour(GraphRuns graph, Turns.Side side, Session session) {
    boolean watched = side == Turns.Side.OTHER;
    session.step("graph application, " + (watched ? "watched" : "unwatched"));
    return graph.run(watched ? Mode.ALERTING : Mode.EVENTUAL, new PrintWriter(Writer.nullWriter()));
  }

  private static Side conjunction(Size size, Turns.Side side, Session session)
      throws IOException, InterruptedException {
    boolean watched = side == Turns.Side.OTHER;
    session.step(text(size) + ", " + (watched ? "watched" : "unwatched"));
    try (ConjunctiveCluster cluster =
        ConjunctiveCluster.start(LatencyTable.WORKLOAD, size, watched)) {
      return cluster.measure(RAMP_SECONDS, session.budget().seconds());
    }
  }
}

package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.Side;
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

/** What watching costs clients. */
final class OverheadTable implements PaperTable {
  static final String SWAPPED =
      "in print the rows 'Monitor: Yes' and 'No' are evidently swapped, or the store would be"
          + " faster with the monitor";
  private static final String PAPER = "Optimistic Execution in Key-Value Store";
  private static final int CLIENTS = 6;
  private static final int QUICK_ROUNDS = 20;
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
    return 2 * 2 * (1 + budget.pairs());
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
            CLIENTS,
            session.budget().equals(Budget.FULL) ? 0 : QUICK_ROUNDS,
            GraphRuns.WORK,
            GraphRuns.PUT_PERCENT,
            session.seed());
    session.setting(
        "graph: %s; conjunction: 10 terms, beta 1 %%, 50 %% puts; N=3 R=1 W=1; clients, nodes and"
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
    Turns<Side> conjunction =
        Turns.run(session.budget().pairs(), side -> conjunction(side, session));
    session.add(
        Row.effect(
            "overhead.conjunction",
            "conjunction of 10 terms, 1 - watched/unwatched",
            "%",
            Better.LOWER,
            new Printed(4, 13, PAPER + ", conjunctive predicates"),
            conjunction.lost(Side::operationsPerSecond),
            SWAPPED));
    session.add(
        cpu(
            "overhead.conjunction.cpu",
            "conjunction, processor time added",
            conjunction.gained(Side::cpuMicros)));
    session.add(
        Row.notHere(
            "overhead.machines",
            "monitors on machines of their own",
            "%",
            new Printed(0.9, 13, PAPER),
            "there is one machine, so all that detection takes, clients lose"));
  }

  private static Row cpu(String id, String what, Turns.Effect effect) {
    return Row.effect(id, what, "%", Better.LOWER, null, effect, "per operation, all parts");
  }

  private static ModeResult colour(GraphRuns graph, Turns.Side side, Session session) {
    boolean watched = side == Turns.Side.OTHER;
    session.step("graph application, " + (watched ? "watched" : "unwatched"));
    return graph.run(watched ? Mode.ALERTING : Mode.EVENTUAL, new PrintWriter(Writer.nullWriter()));
  }

  private static Side conjunction(Turns.Side side, Session session)
      throws IOException, InterruptedException {
    boolean watched = side == Turns.Side.OTHER;
    session.step("conjunction, " + (watched ? "watched" : "unwatched"));
    try (ConjunctiveCluster cluster = ConjunctiveCluster.start(LatencyTable.WORKLOAD, watched)) {
      return cluster.measure(RAMP_SECONDS, session.budget().seconds());
    }
  }
}

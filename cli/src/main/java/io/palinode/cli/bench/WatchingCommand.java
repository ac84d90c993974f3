package io.palinode.cli.bench;

import io.palinode.benchmarks.Turns;
import io.palinode.benchmarks.report.WatchingReport;
import io.palinode.benchmarks.report.WatchingReport.Pair;
import io.palinode.benchmarks.report.WatchingReport.Run;
import io.palinode.cli.bench.option.SeedOption;
import io.palinode.cli.bench.paper.GraphRuns;
import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What watching costs the graph application. */
@Command(
    name = "watching",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure what watching costs an application: the colouring of 'palinode demo', unwatched and"
          + " watched in turns, without rollbacks. Nodes, clients, Kafka, Flink and the orchestrator"
          + " share this machine.",
      "",
      "The first pair of runs is not counted: its code is not compiled.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench watching",
      "  palinode bench watching --network continental --pairs 3"
    })
final class WatchingCommand implements Callable<Integer> {
  private static final double GOAL_ON_ONE_MACHINE = 0.8;
  private static final double GOAL_OVER_A_NETWORK = 0.97;

  @Option(
      names = "--graph",
      defaultValue = "karate",
      paramLabel = "GRAPH",
      description = "As of 'palinode demo' (default: ${DEFAULT-VALUE}).")
  private String graph = "";

  @Option(
      names = "--network",
      defaultValue = "none",
      paramLabel = "NET",
      description = "none, regional, continental or global (default: ${DEFAULT-VALUE}).")
  private Network network = Network.NONE;

  @Option(
      names = "--clients",
      defaultValue = "6",
      paramLabel = "N",
      description = "Number of clients (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--rounds",
      defaultValue = "0",
      paramLabel = "N",
      description = "How often each vertex is coloured (default: depends on graph and network).")
  private int rounds;

  @Option(
      names = "--pairs",
      defaultValue = "5",
      paramLabel = "N",
      description = "Pairs of runs that are counted (default: ${DEFAULT-VALUE}).")
  private int pairs;

  @Mixin private SeedOption seed = new SeedOption();

  @Mixin private Output output = new Output();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (pairs < 1) {
      throw new Refusal("--pairs must be at least 1: " + pairs);
    }
    GraphRuns runs =
        new GraphRuns(
            DemoGraph.parse(graph, seed.value()),
            network,
            GraphRuns.NODES,
            GraphRuns.usual(clients, rounds),
            seed.value());
    PrintWriter err = spec.commandLine().getErr();
    Turns<Run> turns =
        Turns.run(
            pairs,
            side -> run(runs.run(side == Turns.Side.BASE ? Mode.EVENTUAL : Mode.ALERTING, err)));
    double goal = network == Network.NONE ? GOAL_ON_ONE_MACHINE : GOAL_OVER_A_NETWORK;
    output.print(WatchingReport.of(runs.text(), goal, pairs(turns)));
    return 0;
  }

  private static List<Pair> pairs(Turns<Run> turns) {
    return IntStream.range(0, turns.base().size())
        .mapToObj(pair -> new Pair(turns.base().get(pair), turns.other().get(pair)))
        .toList();
  }

  private static Run run(ModeResult result) {
    return new Run(result.work().operationsPerSecond(), result.work().cpuMicrosPerOperation());
  }
}

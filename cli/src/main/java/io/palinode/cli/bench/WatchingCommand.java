package io.palinode.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.benchmarks.report.WatchingReport;
import io.palinode.benchmarks.report.WatchingReport.Pair;
import io.palinode.benchmarks.report.WatchingReport.Run;
import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.DemoRun;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import io.palinode.hvc.Epsilon;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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

  /** All nodes read one clock. */
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);

  private static final int NODES = 3;
  private static final int WORK = 20;

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
  public Integer call() throws JsonProcessingException {
    if (pairs < 1) {
      throw new Refusal("--pairs must be at least 1: " + pairs);
    }
    DemoGraph parsed = DemoGraph.parse(graph, seed.value());
    List<Pair> measured = new ArrayList<>();
    for (int pair = 0; pair <= pairs; pair++) {
      output.say(pair == 0 ? "warming up" : "pair %d of %d".formatted(pair, pairs));
      Pair done = pair(parsed, pair % 2 == 0);
      if (pair > 0) {
        measured.add(done);
      }
    }
    String setting =
        "%s, network %s, %d clients on %d nodes, seed %d"
            .formatted(
                parsed.name(),
                network.name().toLowerCase(Locale.ROOT),
                clients,
                NODES,
                seed.value());
    double goal = network == Network.NONE ? GOAL_ON_ONE_MACHINE : GOAL_OVER_A_NETWORK;
    output.print(WatchingReport.of(setting, goal, measured));
    return 0;
  }

  /** Which one runs first alternates, since the machine may become slower or faster. */
  private Pair pair(DemoGraph parsed, boolean watchedFirst) {
    List<Mode> modes =
        watchedFirst
            ? List.of(Mode.ALERTING, Mode.EVENTUAL)
            : List.of(Mode.EVENTUAL, Mode.ALERTING);
    DemoOptions options =
        new DemoOptions(
            parsed,
            modes,
            seed.value(),
            new DemoOptions.Site(NODES, network, null, null, false),
            new DemoOptions.Load(clients, rounds, WORK, DemoOptions.Conflict.USUAL),
            new DemoOptions.Watch(List.of(), null, EPSILON));
    PrintWriter err = spec.commandLine().getErr();
    List<Run> runs =
        new DemoRun(options, err).run().modes().stream().map(WatchingCommand::run).toList();
    return watchedFirst ? new Pair(runs.get(1), runs.get(0)) : new Pair(runs.get(0), runs.get(1));
  }

  private static Run run(ModeResult result) {
    return new Run(result.work().operationsPerSecond(), result.work().cpuMicrosPerOperation());
  }
}

package io.palinode.cli.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.cli.options.EpsilonText;
import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions;
import io.palinode.demo.DemoRun;
import io.palinode.demo.ExternalCluster;
import io.palinode.demo.JudgedBy;
import io.palinode.demo.report.DemoReport;
import io.palinode.demo.report.Mode;
import io.palinode.hvc.Epsilon;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Runs the graph application three ways and compares. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Colour a graph with several clients, in three ways. All parts run in this process: store"
          + " nodes on Berkeley DB, local detectors, Kafka, Flink, the orchestrator.",
      "",
      "A client may recolour a vertex only while no other client works on a neighbour. A Peterson"
          + " lock in the store guards each edge. The lock is right only under sequential"
          + " consistency.",
      "",
      "  sequential  each write waits for all replicas: right, but slow over a network",
      "  eventual    each write waits for the nearest replica: fast, and sometimes wrong",
      "  watched     as eventual, with a rollback to before each violation: right",
      "  alerting    as eventual; violations are reported, but not rolled back",
      ""
    },
    footer = {
      "",
      "Exit status: 0 the answers of sequential and watched are right; 1 one is not; 2 the"
          + " request was refused.",
      "",
      "Examples:",
      "  palinode demo",
      "  palinode demo --graph powerlaw:1000 --network global --conflict high",
      "  palinode demo --graph us-states --network global -o json",
      "  palinode demo --modes alerting --replicas both",
      "  palinode demo --graph powerlaw:2000 --clients 8 --modes sequential,watched",
      "  palinode demo --store-address tcp://10.0.0.1:6666,tcp://10.0.0.2:6666 --server http://10.0.0.9:6766"
    })
public final class DemoCommand implements Callable<Integer> {
  private static final List<String> OF_OWN_NODES = List.of("--nodes", "--data", "--keep");
  private static final List<String> OF_A_CLUSTER = List.of("--store", "--server");

  @Option(
      names = "--graph",
      defaultValue = "karate",
      paramLabel = "GRAPH",
      description =
          "karate, us-states, powerlaw:N, grid:WxH, random-regular:N,D, or a file of edges (default: ${DEFAULT-VALUE}).")
  private String graph = "";

  @Option(
      names = "--nodes",
      defaultValue = "3",
      paramLabel = "N",
      description = "Number of store nodes (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--clients",
      defaultValue = "6",
      paramLabel = "N",
      description = "Number of clients; each is near one node (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--modes",
      split = ",",
      paramLabel = "MODE",
      description =
          "The ways to run, in this order (default: sequential,eventual,watched; eventual,watched"
              + " with --store-address).")
  private List<Mode> modes = List.of();

  @Option(
      names = "--store-address",
      split = ",",
      paramLabel = "tcp://HOST:PORT",
      description = {
        "Run on the store nodes of this cluster: Palinode's nodes ('palinode up', 'run node'), or"
            + " stock Voldemort servers with the agent. One address is enough; the demo reads"
            + " cluster.xml and stores.xml from it.",
        "The demo writes color_*, load_*, flag_*, turn_* and cs_* keys into --store. A rollback"
            + " discards writes to all stores of the cluster: do not use a cluster with data that"
            + " you need."
      })
  private List<String> storeAddresses = List.of();

  @Option(
      names = "--store",
      defaultValue = "colouring",
      paramLabel = "NAME",
      description =
          "With --store-address: the store to write to. stores.xml gives the number of replicas"
              + " that a read and a write wait for (default: ${DEFAULT-VALUE}).")
  private String store = "";

  @Option(
      names = "--server",
      defaultValue = "${env:PALINODE_SERVER:-http://127.0.0.1:6766}",
      paramLabel = "URL",
      description =
          "With --store-address: the API of the cluster's orchestrator. The demo applies its"
              + " predicates there, and deletes them at its end (default: $PALINODE_SERVER, else"
              + " http://127.0.0.1:6766).")
  private String server = "";

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Seed of delays and generated graphs (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--network",
      paramLabel = "NET",
      description = {
        "Delay between a client and the nodes of other regions, one way (default: continental;"
            + " regional for more than 300 vertices):",
        "none; regional: 0.5 ms; continental: 10 to 38 ms; global: 40 to 150 ms. In the last two,"
            + " the delay differs for each direction and has jitter."
      })
  private DemoOptions.@Nullable Network network;

  @Option(
      names = "--epsilon",
      converter = EpsilonText.class,
      defaultValue = "1ms",
      paramLabel = "TIME",
      description =
          "Bound on the difference of the nodes' clocks: 10ms, 500us, inf (default:"
              + " ${DEFAULT-VALUE}; all nodes of the demo read one clock). With --store-address,"
              + " the cluster's epsilon.")
  private Epsilon epsilon = Epsilon.INFINITE;

  @Option(
      names = "--predicate",
      paramLabel = "FILE",
      description =
          "Watch the predicates of this file (YAML or XML) instead of the application's. May be"
              + " repeated.")
  private List<Path> predicates = List.of();

  @Option(
      names = "--replicas",
      paramLabel = "RULE",
      description = {
        "The replica rule. first: all copies of a write make one interval. any: each copy makes"
            + " an interval, so a late copy can cause a phantom. both: one run is judged by both"
            + " rules, and only first causes rollbacks (default: the rule of each predicate; the"
            + " application's have first)."
      })
  private @Nullable JudgedBy judgedBy;

  @Option(
      names = "--rounds",
      defaultValue = "0",
      paramLabel = "N",
      description = "How often each vertex is coloured (default: depends on graph and network).")
  private int rounds;

  @Option(
      names = "--work",
      defaultValue = "20",
      paramLabel = "N",
      description =
          "Number of operations of a task outside of its critical section (default:"
              + " ${DEFAULT-VALUE}).")
  private int work;

  @Option(
      names = "--put-share",
      defaultValue = "50",
      paramLabel = "N",
      description = "Percent of these operations that are puts (default: ${DEFAULT-VALUE}).")
  private int putShare;

  @Option(
      names = "--conflict",
      defaultValue = "usual",
      paramLabel = "LEVEL",
      description = {
        "usual: each client has a region of the graph. high: after that, all clients colour the"
            + " vertices with most neighbours again, and neighbours belong to different clients."
            + " Conflicts are then so frequent that rollbacks alone would stop all progress"
            + " (default: ${DEFAULT-VALUE})."
      })
  private DemoOptions.Conflict conflict = DemoOptions.Conflict.USUAL;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Folder in which to keep the files of Kafka, Flink and the nodes.")
  private @Nullable Path data;

  @Option(names = "--keep", description = "Keep the temporary folder, and print its path.")
  private boolean keep;

  @Mixin private Output output = new Output();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws JsonProcessingException {
    DemoGraph parsed = DemoGraph.parse(graph, seed);
    ExternalCluster external = external();
    DemoOptions options =
        new DemoOptions(
            parsed,
            modes(external),
            seed,
            new DemoOptions.Site(
                nodes,
                DemoOptions.Site.usualReplicas(nodes),
                network == null ? DemoOptions.Network.suiting(parsed.graph()) : network,
                external,
                data,
                keep),
            new DemoOptions.Load(clients, rounds, work, putShare, conflict),
            new DemoOptions.Watch(predicates, judgedBy, epsilon));
    DemoReport report = new DemoRun(options, spec.commandLine().getErr()).run();
    output.print(report);
    return report.everyRequiredAnswerIsRight() ? 0 : 1;
  }

  private List<Mode> modes(@Nullable ExternalCluster external) {
    if (!modes.isEmpty()) {
      return modes;
    }
    return external == null
        ? List.of(Mode.SEQUENTIAL, Mode.EVENTUAL, Mode.WATCHED)
        : List.of(Mode.EVENTUAL, Mode.WATCHED);
  }

  private @Nullable ExternalCluster external() {
    ParseResult given = spec.commandLine().getParseResult();
    boolean isExternal = given.hasMatchedOption("--store-address");
    for (String option : isExternal ? OF_OWN_NODES : OF_A_CLUSTER) {
      if (given.hasMatchedOption(option)) {
        throw new Refusal(
            isExternal
                ? option + " is for the demo's own nodes: leave it out with --store-address"
                : option + " goes with --store-address only");
      }
    }
    return isExternal ? new ExternalCluster(storeAddresses, store, server) : null;
  }
}

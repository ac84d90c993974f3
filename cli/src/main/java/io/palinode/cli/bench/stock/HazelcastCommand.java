package io.palinode.cli.bench.stock;

import io.palinode.benchmarks.hazelcast.HazelcastBenchmark;
import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Parts;
import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Size;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots;
import io.palinode.benchmarks.hazelcast.HazelcastSnapshots.Plan;
import io.palinode.benchmarks.report.HazelcastReport;
import io.palinode.benchmarks.report.HazelcastSnapshotsReport;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the clients of stock Hazelcast members pay for Palinode's agent there. */
@Command(
    name = "hazelcast",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the cost of Palinode's agent for the clients of Hazelcast members. It compares stock"
          + " members with a map that is not watched, one that is watched, and one with a"
          + " predicate that watches a tenth of its keys.",
      "",
      "With --members 2 or more, each entry has a backup, and operations between members carry"
          + " clocks: also those of the map that is not watched.",
      "",
      "With --snapshots, it measures snapshots of the watched map instead: what clients that only"
          + " write lose in the round after each request, and in the next one. It also measures how"
          + " far back the window-log reaches. Kafka, the detection job and the orchestrator run in"
          + " this process.",
      "",
      "Each member runs in a separate process, from --hazelcast. Members, clients and Kafka share"
          + " this machine. The modes take turns. The result is the ratio within a turn, with its"
          + " confidence.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench hazelcast --hazelcast ~/hazelcast-5.7.0.jar",
      "  palinode bench hazelcast --hazelcast ~/hazelcast-5.7.0.jar --members 2",
      "  palinode bench hazelcast --hazelcast ~/hazelcast-5.7.0.jar --writes 100 --rounds 9",
      "  palinode bench hazelcast --hazelcast ~/hazelcast-5.7.0.jar --snapshots --seconds 1"
    })
public final class HazelcastCommand implements Callable<Integer> {
  /** The default of an agent. */
  private static final Epsilon EPSILON = Epsilon.ofMicros(10_000);

  private static final List<String> AGENTS =
      List.of("agent/hazelcast-agent.jar", "hazelcast-agent/target/hazelcast-agent.jar");

  @Option(
      names = "--hazelcast",
      required = true,
      paramLabel = "FILE",
      description = "The jar of Hazelcast 5.5.0 or 5.7.0, such as hazelcast-5.7.0.jar.")
  private Path hazelcast = Path.of("");

  @Option(
      names = "--agent",
      paramLabel = "FILE",
      description = "Palinode's agent for Hazelcast (default: the one of this build).")
  private @Nullable Path agent;

  @Option(
      names = "--members",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "Members of each cluster: of two, or of one with --snapshots. At most 5 (default:"
              + " ${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--heap",
      defaultValue = "1024",
      paramLabel = "MIB",
      description = "Heap of a member (default: ${DEFAULT-VALUE}).")
  private int heap;

  @Option(
      names = "--window-log",
      defaultValue = "256",
      paramLabel = "MIB",
      description = "Window-log of a member, outside of the heap (default: ${DEFAULT-VALUE}).")
  private int windowLog;

  @Option(names = "--snapshots", description = "Measure snapshots and reach.")
  private boolean snapshots;

  @Option(
      names = "--back",
      split = ",",
      defaultValue = "10,60",
      paramLabel = "S",
      description =
          "With --snapshots: take some of this long ago. Clients write as long before the first"
              + " (default: ${DEFAULT-VALUE}).")
  private List<Integer> back = List.of();

  @Option(
      names = "--rate",
      defaultValue = "0",
      paramLabel = "N",
      description =
          "With --snapshots: so many changes a second of all clients together (default: as many as"
              + " they can).")
  private int rate;

  @Mixin private OnlyOption only = new OnlyOption();

  @Mixin private ServerLoadOptions load = new ServerLoadOptions();

  @Mixin private Output output = new Output();

  @Spec private CommandSpec spec;

  @Override
  public Integer call()
      throws IOException, InterruptedException, ExecutionException, URISyntaxException {
    Size size = Refusal.valid(() -> new Size(members, heap, windowLog));
    Plan plan = checkedPlan();
    Setting setting = load.setting();
    Path stock =
        OwnJar.holding(
            hazelcast, "--hazelcast", "com/hazelcast/core/server/HazelcastMemberStarter.class");
    Path own = OwnJar.find(agent, "--agent", AGENTS);
    try (ScratchFolder data = ScratchFolder.create("bench")) {
      output.print(
          snapshots
              ? snapshots(setting, plan, size, stock, own, data.path())
              : costs(setting, size, stock, own, data.path()));
    }
    return 0;
  }

  private Plan checkedPlan() {
    for (String option : List.of("--back", "--rate")) {
      if (!snapshots && spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new Refusal(option + " goes with --snapshots only");
      }
    }
    if (snapshots && spec.commandLine().getParseResult().hasMatchedOption(OnlyOption.NAME)) {
      throw new Refusal("--only does not go with --snapshots");
    }
    return Refusal.valid(() -> new Plan(back, rate));
  }

  private Output.Report costs(Setting setting, Size size, Path stock, Path own, Path data)
      throws IOException, InterruptedException, ExecutionException {
    try (EmbeddedKafka kafka = BenchKafka.start(data)) {
      Parts parts = new Parts(stock, own, kafka.bootstrapServers(), data);
      return HazelcastReport.of(
          setting,
          members,
          new HazelcastBenchmark(setting, size, only.modes(), parts, output::say).run());
    }
  }

  private Output.Report snapshots(
      Setting setting, Plan plan, Size size, Path stock, Path own, Path data)
      throws IOException, InterruptedException {
    try (ControlPlane plane =
        ControlPlane.start(
            data.resolve("control"), members, EPSILON, ControlPlane.Ports.FREE, output::say)) {
      Parts parts = new Parts(stock, own, plane.kafkaAddress(), data);
      HazelcastSnapshots benchmark =
          new HazelcastSnapshots(setting, plan, size, parts, output::say);
      return HazelcastSnapshotsReport.of(
          setting,
          size,
          benchmark.run(new OrchestratorSnapshots(plane.orchestrator().snapshots())));
    }
  }
}

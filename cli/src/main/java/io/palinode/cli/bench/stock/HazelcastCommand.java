package io.palinode.cli.bench.stock;

import io.palinode.benchmarks.hazelcast.HazelcastBenchmark;
import io.palinode.benchmarks.hazelcast.HazelcastBenchmark.Parts;
import io.palinode.benchmarks.report.HazelcastReport;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
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
import picocli.CommandLine.Option;

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
      "  palinode bench hazelcast --hazelcast ~/hazelcast-5.7.0.jar --writes 100 --rounds 9"
    })
public final class HazelcastCommand implements Callable<Integer> {
  private static final int MEMBERS_MAX = 5;
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
          "Members of each of the two clusters, with 1.5 GiB each, at most 5 (default:"
              + " ${DEFAULT-VALUE}).")
  private int members;

  @Mixin private ServerLoadOptions load = new ServerLoadOptions();

  @Mixin private Output output = new Output();

  @Override
  public Integer call()
      throws IOException, InterruptedException, ExecutionException, URISyntaxException {
    if (members < 1 || members > MEMBERS_MAX) {
      throw new Refusal("--members must be between 1 and %d: %d".formatted(MEMBERS_MAX, members));
    }
    Setting setting = load.setting();
    Path stock =
        OwnJar.holding(
            hazelcast, "--hazelcast", "com/hazelcast/core/server/HazelcastMemberStarter.class");
    Path own = OwnJar.find(agent, "--agent", AGENTS);
    HazelcastReport report;
    try (ScratchFolder data = ScratchFolder.create("bench");
        EmbeddedKafka kafka = BenchKafka.start(data.path())) {
      Parts parts = new Parts(stock, own, kafka.bootstrapServers(), data.path());
      report =
          HazelcastReport.of(
              setting, members, new HazelcastBenchmark(setting, members, parts, output::say).run());
    }
    output.print(report);
    return 0;
  }
}

package io.palinode.cli.bench.stock;

import io.palinode.benchmarks.report.AgentReport;
import io.palinode.benchmarks.stock.AgentBenchmark;
import io.palinode.benchmarks.stock.AgentBenchmark.Kind;
import io.palinode.benchmarks.stock.AgentBenchmark.Mode;
import io.palinode.benchmarks.stock.AgentBenchmark.Parts;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.ClientAgentBenchmark;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.StockVoldemort;
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

/** What a stock server's clients pay for the agent, there or with themselves. */
@Command(
    name = "agent",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the cost of the agent for the clients of a stock Voldemort server. It compares a"
          + " server without the agent, with it, and with it and a predicate that watches a tenth"
          + " of the keys.",
      "",
      "Each server runs in a separate process, from --voldemort, with one store on disk. Servers,"
          + " clients and Kafka share this machine. The modes take turns. The result is the ratio"
          + " within a turn, with its confidence.",
      "",
      "With --of client: the cost of the agent in a program with Voldemort's own Java client. The"
          + " server has the agent in both cases.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench agent --voldemort ~/voldemort",
      "  palinode bench agent --voldemort ~/voldemort --writes 50 --rounds 9",
      "  palinode bench agent --voldemort ~/voldemort --client stock",
      "  palinode bench agent --voldemort ~/voldemort --of client"
    })
public final class AgentCommand implements Callable<Integer> {
  private static final List<String> JARS =
      List.of("agent/voldemort-agent.jar", "voldemort-agent/target/voldemort-agent.jar");

  @Option(
      names = "--voldemort",
      required = true,
      paramLabel = "DIR",
      description = "Folder with the jars, or the compiled classes, of a stock Voldemort 1.10.26.")
  private Path voldemort = Path.of("");

  @Option(
      names = "--of",
      defaultValue = "server",
      paramLabel = "WHERE",
      description = "Where the agent runs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private AgentReport.Of of = AgentReport.Of.SERVER;

  @Option(
      names = "--client",
      defaultValue = "ours",
      paramLabel = "WHOSE",
      description =
          "The clients of a server with the agent: Palinode's, whose requests carry clocks, or"
              + " Voldemort's own: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Kind client = Kind.OURS;

  @Option(
      names = "--agent-jar",
      paramLabel = "FILE",
      description = "The agent's jar (default: the one of this build).")
  private @Nullable Path agentJar;

  @Mixin private ServerLoadOptions load = new ServerLoadOptions();

  @Mixin private Output output = new Output();

  @Override
  public Integer call()
      throws IOException, InterruptedException, ExecutionException, URISyntaxException {
    Setting setting = load.setting();
    StockVoldemort stock = stock();
    Path agent = OwnJar.find(agentJar, "--agent-jar", JARS);
    AgentReport report;
    try (ScratchFolder data = ScratchFolder.create("bench");
        EmbeddedKafka kafka = BenchKafka.start(data.path())) {
      Parts parts = new Parts(stock, agent, kafka.bootstrapServers(), data.path());
      report = AgentReport.of(of, kind(), setting, measure(setting, parts));
    }
    output.print(report);
    return 0;
  }

  private List<Comparison<Mode>> measure(Setting setting, Parts parts)
      throws IOException, InterruptedException, ExecutionException {
    return switch (of) {
      case SERVER -> new AgentBenchmark(setting, client, parts, output::say).run();
      case CLIENT -> new ClientAgentBenchmark(setting, parts, output::say).run();
    };
  }

  private Kind kind() {
    return of == AgentReport.Of.CLIENT ? Kind.STOCK : client;
  }

  private StockVoldemort stock() throws IOException {
    return Refusal.valid("--voldemort", () -> StockVoldemort.in(voldemort));
  }
}

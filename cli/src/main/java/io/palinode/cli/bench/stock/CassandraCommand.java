package io.palinode.cli.bench.stock;

import io.palinode.benchmarks.cassandra.CassandraBenchmark;
import io.palinode.benchmarks.cassandra.CassandraBenchmark.Parts;
import io.palinode.benchmarks.cassandra.StockCassandra;
import io.palinode.benchmarks.report.CassandraReport;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.WatchMode;
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

/** What a stock Cassandra server's clients pay for Palinode's memtable there. */
@Command(
    name = "cassandra",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the cost of Palinode for the clients of an Apache Cassandra server. It compares a"
          + " stock server with a table that is not watched, one that is watched, and one with a"
          + " predicate that watches a tenth of its keys.",
      "",
      "Each server runs in a separate process, from --cassandra. Servers, clients and Kafka share"
          + " this machine. The modes take turns. The result is the ratio within a turn, with its"
          + " confidence.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench cassandra --cassandra ~/apache-cassandra-5.0.9",
      "  palinode bench cassandra --cassandra ~/apache-cassandra-5.0.9 --no-rollback --writes 100"
    })
public final class CassandraCommand implements Callable<Integer> {
  private static final List<String> JARS =
      List.of("cassandra/palinode-cassandra.jar", "cassandra/target/palinode-cassandra.jar");

  @Option(
      names = "--cassandra",
      required = true,
      paramLabel = "DIR",
      description = "Folder of an Apache Cassandra 5.0, with its jars in lib/.")
  private Path cassandra = Path.of("");

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description = "Palinode's jar for Cassandra (default: the one of this build).")
  private @Nullable Path jar;

  @Option(
      names = "--no-rollback",
      description = "Only watch the table: its mutations are not logged.")
  private boolean watchesOnly;

  @Mixin private OnlyOption only = new OnlyOption();

  @Mixin private ServerLoadOptions load = new ServerLoadOptions();

  @Mixin private Output output = new Output();

  @Override
  public Integer call()
      throws IOException, InterruptedException, ExecutionException, URISyntaxException {
    Setting setting = load.setting();
    List<WatchMode> modes = only.modes();
    StockCassandra stock = Refusal.valid("--cassandra", () -> StockCassandra.in(cassandra));
    Path own = OwnJar.find(jar, "--jar", JARS);
    CassandraReport report;
    try (ScratchFolder data = ScratchFolder.create("bench");
        EmbeddedKafka kafka = BenchKafka.start(data.path())) {
      Parts parts = new Parts(stock, own, kafka.bootstrapServers(), data.path());
      report =
          CassandraReport.of(
              !watchesOnly,
              setting,
              new CassandraBenchmark(setting, !watchesOnly, modes, parts, output::say).run());
    }
    output.print(report);
    return 0;
  }
}

package io.palinode.cli.bench.stock;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.benchmarks.Rounds;
import io.palinode.benchmarks.report.StockReport;
import io.palinode.benchmarks.stock.StockBenchmark;
import io.palinode.benchmarks.stock.StockBenchmark.Clients;
import io.palinode.benchmarks.stock.StockBenchmark.Load;
import io.palinode.benchmarks.stock.StockBenchmark.Setting;
import io.palinode.benchmarks.stock.StockVoldemort;
import io.palinode.cli.bench.option.SeedOption;
import io.palinode.cli.bench.option.ValueBytesOption;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Our store node against a stock Voldemort server. */
@Command(
    name = "stock",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure throughput and latency of our store node and of a stock Voldemort server. Each"
          + " runs in a separate process on Berkeley DB. Both have the same client (ours, pb0)."
          + " They take turns: stock, ours, ours, stock, and so on.",
      "",
      "Callers wait for each answer and share some connections. A stock server handles one"
          + " request of a connection at a time; ours handles several. Our node has its defaults:"
          + " it stamps each operation and logs each write.",
      "",
      "Needs a built Voldemort 1.10 on disk: its jars and the libraries that it needs.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Example:  palinode bench stock --voldemort ~/voldemort --connections 1,16"
    })
public final class StockCommand implements Callable<Integer> {
  @Option(
      names = "--voldemort",
      required = true,
      paramLabel = "DIR",
      description = "The folder of a built Voldemort: jars, or folders named 'classes', in it.")
  private Path voldemort = Path.of("");

  @Option(
      names = "--connections",
      defaultValue = "1,4,16",
      split = ",",
      paramLabel = "N",
      description =
          "Numbers of connections that the callers share; each is measured (default:"
              + " ${DEFAULT-VALUE}).")
  private List<Integer> connections = new ArrayList<>();

  @Option(
      names = "--client",
      defaultValue = "each",
      paramLabel = "WHOSE",
      description =
          "each: one client for each connection; one: a single client, as in a program. It opens"
              + " all connections to a stock server, and one to our node (default:"
              + " ${DEFAULT-VALUE}).")
  private Clients clients = Clients.EACH;

  @Option(
      names = "--callers",
      defaultValue = "16",
      paramLabel = "N",
      description = "Number of threads that read and write (default: ${DEFAULT-VALUE}).")
  private int callers;

  @Option(
      names = "--writes",
      defaultValue = "10,50",
      split = ",",
      paramLabel = "PERCENT",
      description =
          "Share of writes in the operations; the others are reads (default: ${DEFAULT-VALUE}).")
  private List<Integer> writes = new ArrayList<>();

  @Option(
      names = "--durability",
      defaultValue = "written",
      paramLabel = "LEVEL",
      description =
          "Durability of a write at both servers: buffered (lost with the process; stock's"
              + " default), written (survives the process; our default) or synced (survives the"
              + " machine) (default: ${DEFAULT-VALUE}).")
  private Durability durability = Durability.WRITTEN;

  @Option(
      names = "--keys",
      defaultValue = "20000",
      paramLabel = "N",
      description = "Number of keys in the store (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Mixin private ValueBytesOption valueBytes = new ValueBytesOption();

  @Option(
      names = "--heap",
      defaultValue = "512",
      paramLabel = "MB",
      description = "Heap of each server (default: ${DEFAULT-VALUE}).")
  private int heap;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds of each server under each load (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "2",
      paramLabel = "S",
      description = "Length of a round (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--warm-up",
      defaultValue = "20",
      paramLabel = "S",
      description =
          "Warm-up of each server, for all loads together. Without it, figures are several times"
              + " as bad (default: ${DEFAULT-VALUE}).")
  private double warmUp;

  @Mixin private SeedOption seed = new SeedOption();

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, InterruptedException, JsonProcessingException {
    Setting setting = setting();
    StockVoldemort built = built();
    StockReport report;
    try (ScratchFolder data = ScratchFolder.create("bench")) {
      StockBenchmark benchmark = new StockBenchmark(setting, built, data.path(), output::say);
      report = StockReport.of(setting, benchmark.run());
    }
    output.print(report);
    return 0;
  }

  private Setting setting() {
    return Refusal.valid(
        () ->
            new Setting(
                new Load(keys, writes, connections, clients, valueBytes.value(), callers),
                new Rounds(rounds, seconds),
                warmUp,
                durability,
                heap,
                seed.value()));
  }

  private StockVoldemort built() throws IOException {
    return Refusal.valid("--voldemort", () -> StockVoldemort.in(voldemort));
  }
}

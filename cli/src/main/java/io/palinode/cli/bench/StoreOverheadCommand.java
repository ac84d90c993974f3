package io.palinode.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.benchmarks.Rounds;
import io.palinode.benchmarks.StoreOverheadBenchmark;
import io.palinode.benchmarks.StoreOverheadBenchmark.Setting;
import io.palinode.benchmarks.report.StoreOverheadReport;
import io.palinode.cli.bench.option.SeedOption;
import io.palinode.cli.bench.option.ValueBytesOption;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a store's clients pay for the past. */
@Command(
    name = "store-overhead",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the cost of HVC and window-log for a store's clients: throughput and latency of a"
          + " node that stamps each operation and logs each write, against a node that does"
          + " neither.",
      "",
      "Each node has Berkeley DB, sockets and a separate client. The nodes take turns: off, on,"
          + " on, off, and so on. Nodes and clients share this machine. The result is the ratio of"
          + " neighbouring rounds, with its confidence.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench store-overhead",
      "  palinode bench store-overhead --keys 100000 --writes 100 --rounds 21"
    })
final class StoreOverheadCommand implements Callable<Integer> {
  @Option(
      names = "--keys",
      defaultValue = "100000,1000000",
      split = ",",
      paramLabel = "N",
      description = "Numbers of keys in the store; each is measured (default: ${DEFAULT-VALUE}).")
  private List<Integer> keys = new ArrayList<>();

  @Option(
      names = "--writes",
      defaultValue = "50,100",
      split = ",",
      paramLabel = "PERCENT",
      description =
          "Share of writes in the operations; the others are reads (default: ${DEFAULT-VALUE}).")
  private List<Integer> writes = new ArrayList<>();

  @Mixin private ValueBytesOption valueBytes = new ValueBytesOption();

  @Option(
      names = "--clients",
      defaultValue = "4",
      paramLabel = "N",
      description = "Number of threads that read and write (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--rounds",
      defaultValue = "9",
      paramLabel = "N",
      description = "Rounds of each node under each load (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "2",
      paramLabel = "S",
      description = "Length of a round (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Mixin private SeedOption seed = new SeedOption();

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, InterruptedException, JsonProcessingException {
    Setting setting = setting();
    StoreOverheadReport report;
    try (ScratchFolder data = ScratchFolder.create("bench")) {
      StoreOverheadBenchmark benchmark =
          new StoreOverheadBenchmark(setting, data.path(), output::say);
      report = StoreOverheadReport.of(setting, benchmark.run());
    }
    output.print(report);
    return 0;
  }

  private Setting setting() {
    return Refusal.valid(
        () ->
            new Setting(
                keys,
                writes,
                valueBytes.value(),
                clients,
                new Rounds(rounds, seconds),
                seed.value()));
  }
}

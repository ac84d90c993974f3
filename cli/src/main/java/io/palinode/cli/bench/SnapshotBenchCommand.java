package io.palinode.cli.bench;

import io.palinode.benchmarks.SnapshotBenchmark;
import io.palinode.benchmarks.SnapshotBenchmark.Load;
import io.palinode.benchmarks.SnapshotBenchmark.Setting;
import io.palinode.benchmarks.SnapshotBenchmark.Snapshots;
import io.palinode.benchmarks.report.SnapshotReport;
import io.palinode.cli.bench.option.SeedOption;
import io.palinode.cli.bench.option.ValueBytesOption;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What snapshots cost, and what the clients notice. */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure snapshots of three store nodes on disk that serve clients: the time, the bytes"
          + " written, and the effect on clients.",
      "",
      "Clients read and write random keys, half of each. Each round takes every kind of snapshot:"
          + " of --back seconds ago, with --rate writes for each of these seconds; of now;"
          + " incremental, over one of a few seconds ago; and rolling, moved to now. Twice per"
          + " second a snapshot is stopped or continued, so client throughput with it and without"
          + " it is measured side by side. Nodes and clients share this machine.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench snapshot",
      "  PALINODE_HEAP=4g palinode bench snapshot --keys 1000000 --back 10,60,600"
    })
final class SnapshotBenchCommand implements Callable<Integer> {
  @Option(
      names = "--keys",
      defaultValue = "100000",
      paramLabel = "N",
      description = "Number of keys, each on all nodes (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Mixin private ValueBytesOption valueBytes = new ValueBytesOption();

  @Option(
      names = "--clients",
      defaultValue = "4",
      paramLabel = "N",
      description = "Number of threads that read and write (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      paramLabel = "S",
      description = "Time under load before each snapshot (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--share",
      defaultValue = "" + Snapshots.SHARE_DEFAULT,
      paramLabel = "SHARE",
      description =
          "Share of a thread's time that each node works for a snapshot; 1: without pauses"
              + " (default: ${DEFAULT-VALUE}, so all together as one node).")
  private double share;

  @Option(
      names = "--back",
      defaultValue = "10,60",
      split = ",",
      paramLabel = "S[,S...]",
      description = "How far back the snapshots of an earlier time go (default: ${DEFAULT-VALUE}).")
  private List<Integer> back = List.of();

  @Option(
      names = "--rate",
      defaultValue = "2000",
      paramLabel = "N",
      description = "Writes in each of these seconds (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--changed",
      defaultValue = "1000,10000,100000",
      split = ",",
      paramLabel = "N[,N...]",
      description =
          "At the end, measure snapshots after this number of writes, without clients and pauses"
              + " (default: ${DEFAULT-VALUE}).")
  private List<Integer> changed = List.of();

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      description = "Number of snapshots of each kind (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Mixin private SeedOption seed = new SeedOption();

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Setting setting = setting();
    try (ScratchFolder data = ScratchFolder.create("bench")) {
      output.print(
          SnapshotReport.of(
              setting, new SnapshotBenchmark(setting, data.path(), output::say).run()));
      return 0;
    }
  }

  private Setting setting() {
    return Refusal.valid(
        () ->
            new Setting(
                new Load(keys, valueBytes.value(), clients, seconds),
                new Snapshots(share, back, rate, changed),
                rounds,
                seed.value()));
  }
}

package io.palinode.cli.bench;

import io.palinode.benchmarks.SnapshotBenchmark;
import io.palinode.benchmarks.SnapshotBenchmark.Load;
import io.palinode.benchmarks.SnapshotBenchmark.Setting;
import io.palinode.benchmarks.SnapshotBenchmark.Snapshots;
import io.palinode.benchmarks.report.SnapshotReport;
import io.palinode.retroscope.snapshot.Pace;
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
      "Measure snapshots of three store nodes on disk that serve clients: how long, how much is written, and what the clients notice.",
      "",
      "Clients read and write keys at random, half of each. Each kind of snapshot is taken in each round: of some time back, with --rate writes for each second since, written faster than that; of now; what differs from one of a few seconds ago; and such a one moved to now. Twice a second it is held or continued: client throughput with it and without it is measured side by side."
          + " Nodes and clients share this machine.",
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
      description = "Keys, each on all nodes (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Mixin private ValueBytesOption valueBytes = new ValueBytesOption();

  @Option(
      names = "--clients",
      defaultValue = "4",
      paramLabel = "N",
      description = "Threads that read and write (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      paramLabel = "S",
      description = "Of load before each snapshot (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--share",
      defaultValue = "" + Pace.SHARE_DEFAULT,
      paramLabel = "SHARE",
      description =
          "Of a thread's time that each node works for a snapshot; 1: without pauses (default:"
              + " ${DEFAULT-VALUE}, as in nodes).")
  private double share;

  @Option(
      names = "--back",
      defaultValue = "10,60",
      split = ",",
      paramLabel = "S[,S...]",
      description = "Go back so many seconds (default: ${DEFAULT-VALUE}).")
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
          "At the end, without clients and pauses: what snapshots cost after so many writes (default: ${DEFAULT-VALUE}).")
  private List<Integer> changed = List.of();

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      description = "Take each kind so often (default: ${DEFAULT-VALUE}).")
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

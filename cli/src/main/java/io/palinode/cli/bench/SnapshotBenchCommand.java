package io.palinode.cli.bench;

import io.palinode.benchmarks.SnapshotBenchmark;
import io.palinode.benchmarks.SnapshotBenchmark.Cost;
import io.palinode.benchmarks.SnapshotBenchmark.Result;
import io.palinode.benchmarks.SnapshotBenchmark.Results;
import io.palinode.benchmarks.SnapshotBenchmark.Setting;
import io.palinode.benchmarks.report.Machine;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import io.palinode.terminal.TextTable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
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
      Results results = new SnapshotBenchmark(setting, data.path(), output::say).run();
      output.print(new Report(Machine.text(), setting, results));
      return 0;
    }
  }

  private Setting setting() {
    return Refusal.valid(
        () ->
            new Setting(
                keys,
                valueBytes.value(),
                clients,
                seconds,
                share,
                back,
                rate,
                changed,
                rounds,
                seed.value()));
  }

  record Report(String machine, Setting setting, Results results) implements Output.Report {
    @Override
    public String table() {
      return SnapshotBenchCommand.table(this);
    }
  }

  private static String table(Report report) {
    Setting setting = report.setting();
    Results results = report.results();
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of(
                "snapshot",
                "ms",
                "keys written",
                "MB written",
                "operations/s without",
                "during",
                "dip",
                "from … to",
                "pairs",
                "p99 ms without",
                "during"));
    for (Result result : results.kinds()) {
      table.row(
          List.of(
              result.what(),
              "%,.0f".formatted(result.durationMs()),
              "%,d".formatted(result.changed()),
              String.format(Locale.ROOT, "%,.1f", result.bytes() / 1e6),
              "%,.0f".formatted(result.operationsWithout()),
              "%,.0f".formatted(result.operationsDuring()),
              "%.1f %%".formatted(100 * result.dip().median()),
              "%.1f … %.1f".formatted(100 * result.dip().from(), 100 * result.dip().to()),
              "%,d".formatted(result.pairs()),
              String.format(Locale.ROOT, "%.2f", result.p99WithoutMs()),
              String.format(Locale.ROOT, "%.2f", result.p99DuringMs())));
    }
    return "%s%n3 nodes, %,d keys of %d bytes on each; %d clients; %d rounds; seed.value() %d%n%n%s%n%s"
        .formatted(
            report.machine(),
            setting.keys(),
            setting.valueBytes(),
            setting.clients(),
            setting.rounds(),
            setting.seed(),
            table.render(),
            costs(results.costs()));
  }

  private static String costs(List<Cost> costs) {
    TextTable table =
        new TextTable(
            TextTable.Align.RIGHT,
            List.of("alone", "writes since", "keys written", "ms", "MB written"));
    for (Cost cost : costs) {
      table.row(
          List.of(
              cost.what(),
              "%,d".formatted(cost.writes()),
              "%,d".formatted(cost.keys()),
              "%,.0f".formatted(cost.ms()),
              String.format(Locale.ROOT, "%,.1f", cost.bytes() / 1e6)));
    }
    return table.render();
  }
}

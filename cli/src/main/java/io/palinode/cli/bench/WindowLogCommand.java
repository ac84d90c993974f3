package io.palinode.cli.bench;

import io.palinode.benchmarks.report.DiskReport;
import io.palinode.benchmarks.report.WindowLogReport;
import io.palinode.benchmarks.windowlog.DiskBenchmark;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Result;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Sizes;
import io.palinode.cli.bench.option.SeedOption;
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

/** What the window-log costs. */
@Command(
    name = "windowlog",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the cost of the window-log: appends, pauses, memory and differences.",
      "",
      "The same run measures a simple log: a linked object for each change, with key, old and new"
          + " value and an object for the time. Payloads are reused, or new arrays for each"
          + " change, as in a server. Keys and values have 16 and 100 bytes, then 8 and 8. There"
          + " are 100,000 keys.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench windowlog",
      "  palinode bench windowlog --disk",
      "  PALINODE_HEAP=6g palinode bench windowlog --entries 5000000 -o json"
    })
final class WindowLogCommand implements Callable<Integer> {
  private static final int CHANGES_A_SECOND = 5_000;
  private static final long REACH_BYTES = 1L << 30;

  @Option(
      names = "--entries",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "Number of changes in the log (default: ${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds of each log, in turns; the median counts (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Mixin private SeedOption seed = new SeedOption();

  @Mixin private Output output = new Output();

  @Option(
      names = "--disk",
      description =
          "Instead, measure the window-log on disk against that in memory, and how far both reach"
              + " at 5,000 changes per second with 1 GiB each. Needs 3 GiB in the folder for"
              + " temporary files.")
  private boolean disk;

  @Override
  public Integer call() throws IOException {
    if (disk) {
      return onDisk();
    }
    refuseWhatDoesNotFit();
    List<Result> results = new ArrayList<>();
    for (Sizes sizes : WindowLogBenchmark.SIZES) {
      results.add(benchmark(sizes).run(sizes));
    }
    WindowLogReport report = WindowLogReport.of(results, entries, rounds, seed.value());
    output.print(report);
    return 0;
  }

  private int onDisk() throws IOException {
    try (ScratchFolder scratch = ScratchFolder.create("bench")) {
      DiskBenchmark benchmark =
          new DiskBenchmark(
              scratch.path(),
              entries,
              rounds,
              seed.value(),
              System::nanoTime,
              step -> output.say("measuring: " + step));
      DiskBenchmark.Result result = benchmark.run(CHANGES_A_SECOND, REACH_BYTES);
      DiskReport report =
          new DiskReport(WindowLogReport.describeMachine(), entries, rounds, seed.value(), result);
      output.print(report);
      return 0;
    }
  }

  private void refuseWhatDoesNotFit() {
    long needed = WindowLogBenchmark.heapBytes(entries);
    if (Runtime.getRuntime().maxMemory() < needed) {
      throw new Refusal(
          "%,d entries of the simple log need a heap of %dg: set PALINODE_HEAP"
              .formatted(entries, 1 + (needed >> 30)));
    }
  }

  private WindowLogBenchmark benchmark(Sizes sizes) {
    return Refusal.valid(
        () ->
            new WindowLogBenchmark(
                entries,
                rounds,
                seed.value(),
                System::nanoTime,
                step ->
                    output.say(
                        "measuring %s bytes: %s".formatted(WindowLogReport.name(sizes), step))));
  }
}

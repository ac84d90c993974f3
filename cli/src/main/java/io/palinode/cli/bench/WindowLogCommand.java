package io.palinode.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Result;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Sizes;
import io.palinode.cli.terminal.Output;
import io.palinode.cli.terminal.Refusal;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the window-log costs. */
@Command(
    name = "windowlog",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure what keeping the recent past costs: appends, pauses, memory and differences.",
      "",
      "Beside the window-log, in the same run, the obvious one: a linked object for each change, with key, old and new value and an object"
          + " for the time. Payloads are at hand, or fresh arrays for each change, as in a server. Keys and values are of 16 and 100 bytes,"
          + " then of 8 and 8; there are 100,000 keys.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench windowlog",
      "  PALINODE_HEAP=6g palinode bench windowlog --entries 5000000 -o json"
    })
final class WindowLogCommand implements Callable<Integer> {
  @Option(
      names = "--entries",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "Changes in the window (default: ${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds of each log, in turns; the median counts (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seed",
      defaultValue = "1",
      paramLabel = "N",
      description = "Seed of the keys (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Mixin private Output output = new Output();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws JsonProcessingException {
    refuseWhatDoesNotFit();
    List<Result> results = new ArrayList<>();
    for (Sizes sizes : WindowLogBenchmark.SIZES) {
      results.add(benchmark(sizes).run(sizes));
    }
    WindowLogReport report = WindowLogReport.of(results, entries, rounds, seed);
    PrintWriter out = spec.commandLine().getOut();
    out.print(output.isJson() ? report.json() : report.text());
    out.flush();
    return 0;
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
    PrintWriter err = spec.commandLine().getErr();
    try {
      return new WindowLogBenchmark(
          entries,
          rounds,
          seed,
          System::nanoTime,
          step -> {
            err.println("measuring %s bytes: %s".formatted(WindowLogReport.name(sizes), step));
            err.flush();
          });
    } catch (IllegalArgumentException refused) {
      throw new Refusal(String.valueOf(refused.getMessage()), refused);
    }
  }
}

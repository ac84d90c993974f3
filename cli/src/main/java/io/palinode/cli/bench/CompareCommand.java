package io.palinode.cli.bench;

import io.palinode.benchmarks.paper.Comparison;
import io.palinode.benchmarks.paper.PaperReport;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Two reports of {@link PaperCommand}. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compare two JSON reports of 'palinode bench paper', row by row: the change of the median, and"
          + " whether chance explains it. The test is the exact permutation test of ranks on the"
          + " repetitions, two-sided.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 nothing became significantly worse; 1 a figure did; 2 the request was"
          + " refused.",
      "",
      "Example:  palinode bench compare old/report.json new/report.json"
    })
final class CompareCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "OLD", description = "The earlier report.")
  private Path old = Path.of("");

  @Parameters(index = "1", paramLabel = "NEW", description = "The later report.")
  private Path now = Path.of("");

  @Option(
      names = "--level",
      defaultValue = "0.05",
      paramLabel = "P",
      description =
          "A row is significant if its p is at most this. Each row is tested by itself: of 20 rows"
              + " without a change, one is significant by chance (default: ${DEFAULT-VALUE}).")
  private double level;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException {
    if (!(level > 0 && level < 1)) {
      throw new Refusal("--level must be above 0 and below 1: " + level);
    }
    Comparison comparison = Comparison.of(read(old), read(now), level);
    output.print(comparison);
    return comparison.isWorse() ? 1 : 0;
  }

  private static PaperReport read(Path file) {
    try {
      return PaperReport.parse(Files.readString(file));
    } catch (IOException e) {
      throw new Refusal("cannot read " + file + ": " + e, e);
    } catch (IllegalArgumentException e) {
      throw new Refusal(file + " is " + e.getMessage(), e);
    }
  }
}

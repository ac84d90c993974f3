package io.palinode.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.palinode.benchmarks.DetectionBenchmark;
import io.palinode.benchmarks.DetectionBenchmark.Case;
import io.palinode.benchmarks.DetectionBenchmark.Group;
import io.palinode.benchmarks.DetectionBenchmark.Result;
import io.palinode.benchmarks.Measurement.Effort;
import io.palinode.benchmarks.online.OperationCosts;
import io.palinode.benchmarks.report.DetectionReport;
import io.palinode.cli.bench.option.SeedOption;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Candidates a second through the detection algorithm. */
@Command(
    name = "detection",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure how many candidates per second one core judges. Only the algorithm runs, without"
          + " Kafka and Flink.",
      "",
      "Here a candidate is a whole interval: its opening, its closing, and the progress between."
          + " The same run measures a simple detector. That keeps a list of closed intervals and"
          + " tries each new one with every combination of the others. It does less: it publishes"
          + " nothing until intervals end, and relies on the order of arrival.",
      "",
      "  spread    1,000 instances; clauses of 2 and 10 terms on 3, 5 and 10 nodes; none, 1 %% or all of the candidates complete a violation",
      "  terms     the same on 5 nodes with 1 %%: 2, 5, 10 and 20 terms",
      "  retained  one instance that must keep 10, 100 and 1,000 intervals, because a node's"
          + " progress lags",
      "  total     sums with distinct whose members all have a value: one instance of 1,000 members; 100 instances of 10, none or 1 %% of the values wrong",
      "  distinct  1,000 instances of one term; 2 and 10 different members are a violation, and 1 and 9 hold",
      "  within    1,000 instances; triggers and their answers, none or 1 %% of the answers missing",
      "  lost      1,000 instances of lostUpdate: each candidate is a violation, beside a conjunction of two terms without violations",
      "  stale     the same of staleRead and nonMonotonicRead, which cost the job the same",
      "",
      "With lost and stale, a second table has what an operation pays: the bytes of its requests,"
          + " and the openings and closings that the node publishes.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench detection",
      "  palinode bench detection --only retained --rounds 9 -o json"
    })
final class DetectionCommand implements Callable<Integer> {
  @Option(
      names = "--only",
      split = ",",
      paramLabel = "GROUP",
      description =
          "spread, terms, retained, total, distinct, within, lost or stale (default: all).")
  private List<Group> only = List.of(Group.values());

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description =
          "Rounds of each detector, in turns; the median counts (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--round-seconds",
      defaultValue = "0.3",
      paramLabel = "S",
      description = "Least length of a round (default: ${DEFAULT-VALUE}).")
  private double roundSeconds;

  @Option(
      names = "--warm-up-seconds",
      defaultValue = "1",
      paramLabel = "S",
      description = "Warm-up before the rounds of a case (default: ${DEFAULT-VALUE}).")
  private double warmUpSeconds;

  @Option(
      names = "--candidates",
      defaultValue = "20000",
      paramLabel = "N",
      description = "Candidates of each case, at least 1 (default: ${DEFAULT-VALUE}).")
  private int candidates;

  @Mixin private SeedOption seed = new SeedOption();

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws JsonProcessingException {
    DetectionBenchmark benchmark = new DetectionBenchmark(effort(), seed.value(), System::nanoTime);
    List<Case> cases = cases().stream().filter(each -> only.contains(each.group())).toList();
    List<Result> results = new ArrayList<>();
    for (Case each : cases) {
      output.say(
          "measuring %d of %d: %s"
              .formatted(results.size() + 1, cases.size(), DetectionReport.name(each)));
      results.add(benchmark.run(each));
    }
    boolean ofOperations = only.contains(Group.LOST) || only.contains(Group.STALE);
    DetectionReport report =
        DetectionReport.of(
            results, seed.value(), ofOperations ? OperationCosts.measured() : List.of());
    output.print(report);
    return 0;
  }

  private List<Case> cases() {
    if (candidates < 1) {
      throw new Refusal("there must be a candidate: candidates=" + candidates);
    }
    return DetectionBenchmark.cases(candidates);
  }

  private Effort effort() {
    return Refusal.valid(() -> new Effort(warmUpSeconds, rounds, roundSeconds));
  }
}

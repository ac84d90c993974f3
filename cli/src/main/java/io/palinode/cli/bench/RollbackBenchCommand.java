package io.palinode.cli.bench;

import io.palinode.benchmarks.online.Cluster;
import io.palinode.benchmarks.report.RollbackReport;
import io.palinode.benchmarks.rollback.RollbackBenchmark;
import io.palinode.benchmarks.rollback.RollbackBenchmark.CopyResult;
import io.palinode.benchmarks.rollback.RollbackBenchmark.Result;
import io.palinode.benchmarks.rollback.RollbackBenchmark.Work;
import io.palinode.cli.bench.option.ValueBytesOption;
import io.palinode.cli.bench.paper.OperatorRollback;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import io.palinode.wire.KafkaSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How long a rollback keeps nodes from serving. */
@Command(
    name = "rollback",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure how long rollbacks pause three store nodes on disk, and which step takes the time."
          + " Each node has all keys. Kafka, the detection job and the orchestrator run in this"
          + " process.",
      "",
      "The command changes keys at random on all nodes; a rollback by hand then discards all"
          + " changes. For comparison, the same run stops the nodes, copies their files back from"
          + " a backup, and opens them. Exit status 1 if a key has a wrong value afterwards.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  PALINODE_HEAP=3g palinode bench rollback",
      "  palinode bench rollback --keys 10000 --changes 10000 --repeat 1"
    })
final class RollbackBenchCommand implements Callable<Integer> {
  private static final Epsilon EPSILON = Epsilon.ofMicros(10_000);
  private static final int WARM_UPS = 10;

  @Option(
      names = "--keys",
      split = ",",
      defaultValue = "10000,100000,1000000",
      paramLabel = "N",
      description = "Number of keys in the store (default: ${DEFAULT-VALUE}).")
  private List<Integer> keys = List.of();

  @Option(
      names = "--changes",
      split = ",",
      defaultValue = "10000,100000",
      paramLabel = "N",
      description = "Number of changes to discard (default: ${DEFAULT-VALUE}).")
  private List<Integer> changes = List.of();

  @Option(
      names = "--standing",
      defaultValue = "0",
      paramLabel = "N",
      description = "Changes right before the target, which stand (default: ${DEFAULT-VALUE}).")
  private int standing;

  @Mixin private ValueBytesOption valueBytes = new ValueBytesOption();

  @Option(
      names = "--repeat",
      defaultValue = "3",
      paramLabel = "N",
      description = "Rollbacks of each kind (default: ${DEFAULT-VALUE}).")
  private int repeat;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException, InterruptedException {
    boolean isPositive =
        keys.stream().allMatch(n -> n > 0) && changes.stream().allMatch(n -> n > 0);
    if (!isPositive || standing < 0 || valueBytes.value() < 1 || repeat < 1) {
      throw new Refusal(
          "keys, changes, bytes and repeats must be positive: keys=%s changes=%s standing=%d bytes=%d repeat=%d"
              .formatted(keys, changes, standing, valueBytes.value(), repeat));
    }
    List<Result> warmUps = new ArrayList<>();
    List<Result> rollbacks = new ArrayList<>();
    List<CopyResult> copies = new ArrayList<>();
    for (int size : keys) {
      measure(size, warmUps, rollbacks, copies);
    }
    RollbackReport report =
        RollbackReport.of(valueBytes.value(), warmUps.get(0), rollbacks, copies);
    output.print(report);
    return 0;
  }

  private void measure(
      int size, List<Result> warmUps, List<Result> rollbacks, List<CopyResult> copies)
      throws IOException, InterruptedException {
    output.say("making a store of %,d keys".formatted(size));
    try (ScratchFolder data = ScratchFolder.create("bench");
        ControlPlane plane =
            ControlPlane.start(
                data.path().resolve("plane"),
                Cluster.NODES,
                EPSILON,
                ControlPlane.Ports.FREE,
                output::say);
        RollbackBenchmark benchmark =
            new RollbackBenchmark(
                new Cluster(plane.watch(), KafkaSettings.of(plane.kafkaAddress()), EPSILON),
                data.path(),
                size,
                valueBytes.value())) {
      benchmark.start();
      RollbackBenchmark.Operator operator =
          target -> OperatorRollback.run(plane.orchestrator(), target);
      for (int i = 0; i < WARM_UPS; i++) {
        warmUps.add(benchmark.run(new Work(changes.get(0), standing), i, operator));
      }
      for (int change : changes) {
        for (int i = 0; i < repeat; i++) {
          output.say("discarding %,d changes of %,d keys".formatted(change, size));
          rollbacks.add(benchmark.restAndRun(new Work(change, standing), WARM_UPS + i, operator));
        }
      }
      for (int i = 0; i < repeat; i++) {
        output.say("copying back the files of %,d keys".formatted(size));
        copies.add(benchmark.copyBack());
      }
    } catch (io.palinode.voldemort.RefusedException e) {
      throw new IllegalStateException("a node refused what it had to do", e);
    }
  }
}

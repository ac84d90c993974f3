package io.palinode.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.benchmarks.online.Cluster;
import io.palinode.benchmarks.online.InstancesBenchmark;
import io.palinode.benchmarks.online.InstancesBenchmark.Result;
import io.palinode.benchmarks.report.InstancesReport;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.DetectionPlane;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.ScratchFolder;
import io.palinode.voldemort.server.SystemMicros;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What many template instances cost. */
@Command(
    name = "instances",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the cost of instances: candidates per second with few and with many instances, and"
          + " the heap of the process. At any time, one in a hundred of the many instances holds,"
          + " and one in two of the few. Nodes (without a store), Kafka and the Flink job are"
          + " those of 'palinode up'.",
      "",
      "Candidates arrive as fast as they are judged. Exit status 1 if there was a coverage gap.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Example:  palinode bench instances --many 200000"
    })
final class InstancesCommand implements Callable<Integer> {
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);
  private static final int ACTIVE_ONE_IN = 100;

  @Option(
      names = "--few",
      defaultValue = "1000",
      paramLabel = "N",
      description = "Number of the few instances (default: ${DEFAULT-VALUE}).")
  private long few;

  @Option(
      names = "--many",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "Number of the many instances (default: ${DEFAULT-VALUE}).")
  private long many;

  @Option(
      names = "--candidates",
      defaultValue = "500000",
      paramLabel = "N",
      description =
          "Candidates of the few instances in each run; the first run is a warm-up (default:"
              + " ${DEFAULT-VALUE}).")
  private long candidates;

  @Mixin private Output output = new Output();

  @Override
  public Integer call()
      throws IOException, InterruptedException, ExecutionException, JsonProcessingException {
    if (few < 1 || many < few || candidates < 1) {
      throw new Refusal(
          "there must be 1 <= few <= many, and a candidate: few=%d many=%d candidates=%d"
              .formatted(few, many, candidates));
    }
    InstancesReport report = measure();
    output.print(report);
    return report.coverageLost() == 0 ? 0 : 1;
  }

  private InstancesReport measure() throws IOException, InterruptedException, ExecutionException {
    List<Result> results = new ArrayList<>();
    try (ScratchFolder data = ScratchFolder.create("bench");
        DetectionPlane plane =
            DetectionPlane.start(
                data.path(),
                Cluster.NODES,
                EPSILON,
                DetectionSettings.DEFAULT,
                EmbeddedKafka.ANY_PORT,
                new SimpleMeterRegistry());
        InstancesBenchmark benchmark =
            new InstancesBenchmark(
                new Cluster(plane.watch(), plane.kafka(), EPSILON), new SystemMicros())) {
      benchmark.start();
      output.say("warming up");
      var unused = benchmark.run(candidates, few, half(few));
      output.say("measuring few instances");
      results.add(benchmark.run(candidates, few, half(few)));
      output.say("measuring many");
      results.add(
          benchmark.run(
              Math.max(candidates, many + many / 10),
              many,
              Math.toIntExact(Math.max(1, many / ACTIVE_ONE_IN))));
      return InstancesReport.of(results, benchmark.coverageLost());
    }
  }

  /** So many that an interval outlasts a batch, as those of the many do: or it would cost less. */
  private static int half(long instances) {
    return Math.toIntExact((instances + 1) / 2);
  }
}

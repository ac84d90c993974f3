package io.palinode.cli.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.benchmarks.online.Cluster;
import io.palinode.benchmarks.online.LatencyBenchmark;
import io.palinode.benchmarks.online.LatencyBenchmark.Result;
import io.palinode.benchmarks.report.LatencyReport;
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

/** From a candidate to the violation that it completes. */
@Command(
    name = "latency",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measure the time from a candidate's creation until a listener receives the violation that"
          + " it completes. The listener has the orchestrator's settings. Three watched nodes"
          + " (without a store), Kafka and the Flink job run in this process, as in 'palinode up'.",
      "",
      "Candidates are due at fixed times, and latency counts from these times, so a stall counts"
          + " too. One candidate in a hundred completes a violation. The same run measures Kafka"
          + " alone: the same number of records, with the same settings, from producers to a"
          + " listener.",
      "",
      "Exit status 1 if a violation was missed or falsely published.",
      ""
    },
    footer = {
      "",
      "How to read the figures: docs/reference/benchmarks.md.",
      "",
      "Examples:",
      "  palinode bench latency",
      "  palinode bench latency --rates 10000 --seconds 30 -o json"
    })
final class LatencyCommand implements Callable<Integer> {
  private static final Epsilon EPSILON = Epsilon.ofMicros(10_000);
  private static final double WARM_UP_RATE = 20_000;

  @Option(
      names = "--rates",
      split = ",",
      defaultValue = "1000,10000,50000",
      paramLabel = "N",
      description = "Candidates per second (default: ${DEFAULT-VALUE}).")
  private List<Double> rates = List.of();

  @Option(
      names = "--seconds",
      defaultValue = "60",
      paramLabel = "S",
      description =
          "Time for each rate; Kafka alone takes a third of it (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--warm-up",
      defaultValue = "60",
      paramLabel = "S",
      description =
          "Warm-up of the JVM, at 20,000 candidates per second (default: ${DEFAULT-VALUE}).")
  private double warmUpSeconds;

  @Mixin private Output output = new Output();

  @Override
  public Integer call()
      throws IOException, InterruptedException, ExecutionException, JsonProcessingException {
    if (seconds <= 0 || warmUpSeconds < 0 || rates.stream().anyMatch(rate -> !(rate >= 1))) {
      throw new Refusal(
          "rates and seconds must be positive: rates=%s seconds=%s warm-up=%s"
              .formatted(rates, seconds, warmUpSeconds));
    }
    LatencyReport report = measure();
    output.print(report);
    return report.isComplete() ? 0 : 1;
  }

  private LatencyReport measure() throws IOException, InterruptedException, ExecutionException {
    SystemMicros micros = new SystemMicros();
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
        LatencyBenchmark benchmark =
            new LatencyBenchmark(new Cluster(plane.watch(), plane.kafka(), EPSILON), micros)) {
      benchmark.start();
      if (warmUpSeconds > 0) {
        output.say("warming up");
        var unused = benchmark.run(WARM_UP_RATE, warmUpSeconds);
      }
      for (double rate : rates) {
        output.say("measuring %,.0f candidates/s".formatted(rate));
        results.add(benchmark.run(rate, seconds));
      }
      return LatencyReport.of(results, seconds, benchmark.instances());
    }
  }
}

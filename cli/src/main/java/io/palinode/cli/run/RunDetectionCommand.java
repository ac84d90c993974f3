package io.palinode.cli.run;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.cli.options.DetectionOptions;
import io.palinode.launcher.embedded.EmbeddedFlink;
import io.palinode.monitor.flink.job.DetectionJobConfig;
import io.palinode.terminal.Output;
import io.palinode.terminal.StartProgress;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.JobStatus;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The detection job, on a Flink cluster in this process. */
@Command(
    name = "detection",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Run the detection job on a Flink cluster in this process. For your own Flink cluster,"
          + " submit the job jar of monitor-flink instead.",
      "Run only one job at a time: two jobs publish each violation twice.",
      ""
    },
    footer = {
      "",
      "Example:  palinode run detection --kafka 127.0.0.1:9092 --nodes 3 --data ./data"
    })
final class RunDetectionCommand implements Callable<Integer> {
  @Mixin private KafkaOptions kafka = new KafkaOptions();

  @Option(
      names = "--nodes",
      required = true,
      paramLabel = "N",
      description = "Number of store nodes.")
  private int nodes;

  @Mixin private EpsilonOption epsilon = new EpsilonOption();

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Folder; its subfolder 'flink' has the checkpoints.")
  private Path data = Path.of("");

  @Mixin private DetectionOptions detection = new DetectionOptions();
  @Mixin private MetricsOption metrics = new MetricsOption();
  @Mixin private AccessOptions access = new AccessOptions();

  @Spec private CommandSpec spec = CommandSpec.create();

  /** The job, and what it counts. */
  private record Job(EmbeddedFlink flink, MetricsOption.Served metrics) implements AutoCloseable {
    @Override
    public void close() {
      try (metrics) {
        flink.close();
      }
    }
  }

  @Override
  public Integer call() throws Exception {
    NodesOption.require(nodes);
    return Stay.until(
        spec, stopped -> start(), job -> "detection of " + nodes + " nodes", this::failure);
  }

  @SuppressWarnings("try") // A resource for its close alone.
  private Job start() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    KafkaSettings connected = kafka.connected(Output.progress(spec), List.of());
    epsilon.requireThatOfNodes(
        connected, -1, "give the job the one of the nodes", Output.progress(spec));
    DetectionJobConfig config =
        DetectionJobConfig.of(connected, Topics.DEFAULT, nodes, epsilon.value())
            .withDetection(detection.settings())
            .withOpen(Objects.requireNonNullElse(metrics.open(access), ""));
    try (StartProgress progress = StartProgress.of("starting Flink", Output.progress(spec))) {
      EmbeddedFlink flink = EmbeddedFlink.start(data.resolve("flink"), config, registry);
      return new Job(flink, metrics.serve(registry, access));
    }
  }

  private @Nullable String failure(Job job) {
    JobStatus status = job.flink().status();
    return status.isGloballyTerminalState() ? status + ": " + job.flink().failure() : null;
  }
}

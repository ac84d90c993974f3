package io.palinode.cli.run;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.cli.options.ClusterFile;
import io.palinode.cli.options.StoresOption;
import io.palinode.cli.options.WindowLogOptions;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.launcher.WatchedNode;
import io.palinode.orchestrator.rest.access.AccessSettings;
import io.palinode.retroscope.disk.OwnerOnly;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.StartProgress;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.server.SystemMicros;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** One store node with its detector. */
@Command(
    name = "node",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Run one watched store node of a cluster. Its detector publishes candidates to Kafka, and"
          + " it takes part in rollbacks.",
      "It serves clients after it has read the control log from Kafka.",
      ""
    },
    footer = {
      "",
      "Example:  palinode run node --id 0 --cluster cluster.xml --kafka 127.0.0.1:9092 --data"
          + " ./data"
    })
final class RunNodeCommand implements Callable<Integer> {
  @Option(
      names = "--id",
      required = true,
      paramLabel = "I",
      description = "Id of the node in cluster.xml.")
  private int id;

  @Option(
      names = "--cluster",
      required = true,
      paramLabel = "FILE",
      description = "A cluster.xml of Voldemort, the same on all nodes; node ids are 0, 1, 2, ...")
  private Path clusterFile = Path.of("");

  @Mixin private StoresOption stores = new StoresOption();
  @Mixin private KafkaOptions kafka = new KafkaOptions();

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "Folder; its subfolder 'node-I' has the node's files.")
  private Path data = Path.of("");

  @Mixin private EpsilonOption epsilon = new EpsilonOption();

  @Option(
      names = "--change-epsilon",
      description =
          "Start although other nodes run with another --epsilon: for a change of all nodes, one"
              + " after another, while no detection job runs.")
  private boolean changesEpsilon;

  @Mixin private WindowLogOptions windowLog = new WindowLogOptions();
  @Mixin private MetricsOption metrics = new MetricsOption();
  @Mixin private AccessOptions access = new AccessOptions();

  @Option(
      names = "--clock-offset-micros",
      hidden = true,
      defaultValue = "0",
      paramLabel = "US",
      description = "Added to the machine's clock, for tests with clocks that differ.")
  private long clockOffsetMicros;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** The node, and what it counts. */
  private record Running(WatchedNode node, MetricsOption.Served metrics) implements AutoCloseable {
    @Override
    public void close() {
      try (metrics) {
        node.close();
      }
    }
  }

  @Override
  public Integer call() throws Exception {
    Cluster cluster = ClusterFile.read(clusterFile);
    if (id < 0 || id >= cluster.nodes().size()) {
      throw new Refusal(
          "--id must be one of the nodes of %s, 0 to %d: %d"
              .formatted(clusterFile, cluster.nodes().size() - 1, id));
    }
    List<StoreDefinition> definitions = stores.definitions(cluster.nodes().size());
    Node address = cluster.node(id);
    NodeTls tls = access.store(address.host());
    String unreached = OwnAddress.problem(cluster, id, AccessSettings::isLoopback);
    if (unreached != null) {
      Output.progress(spec).accept("palinode: " + unreached);
    }
    return Stay.until(
        spec,
        stopped -> start(cluster, definitions, tls),
        running -> "node %d   %s:%d".formatted(id, address.host(), address.socketPort()),
        running -> detectorFailure(running.node()));
  }

  private static @Nullable String detectorFailure(WatchedNode node) {
    String failure = node.failure();
    return failure == null ? null : "its detector has stopped: " + failure;
  }

  private String open(String host) {
    return Stream.concat(
            Stream.ofNullable(access.openStore(host)), Stream.ofNullable(metrics.open(access)))
        .collect(Collectors.joining("; "));
  }

  @SuppressWarnings("try") // A resource for its close alone.
  private Running start(Cluster cluster, List<StoreDefinition> definitions, @Nullable NodeTls tls)
      throws IOException, InterruptedException {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    OwnerOnly.createFolders(data);
    KafkaSettings connected = kafka.connected(Output.progress(spec), List.of());
    if (!changesEpsilon) {
      epsilon.requireThatOfNodes(
          connected,
          id,
          "give all nodes the same one, or see docs/how-to/choose-epsilon.md to change it",
          Output.progress(spec));
    }
    MetricsOption.Served served = metrics.serve(registry, access);
    try (StartProgress progress = StartProgress.of("starting node " + id, Output.progress(spec))) {
      WatchedNode node =
          WatchedNode.start(
              WatchedNode.config(id, cluster, definitions, epsilon.value())
                  .with(settings -> settings.withRestores(windowLog.restores(1))),
              data,
              windowLog.bound(),
              NodeDetectorConfig.of(connected, Topics.DEFAULT)
                  .withStartTimeout(StartProgress.NO_LIMIT)
                  .withOpen(open(cluster.node(id).host())),
              new SystemMicros().plus(clockOffsetMicros),
              registry,
              tls);
      return new Running(node, served);
    } catch (RuntimeException e) {
      served.close();
      throw e;
    }
  }
}

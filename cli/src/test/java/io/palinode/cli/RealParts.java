package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.PastReads;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.ClientConfig.Routing;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Three store nodes, Kafka, the detection job and the orchestrator in this process, with one store
 * on disk that holds all nodes; and the questions of tests.
 */
final class RealParts implements AutoCloseable {
  static final Duration BOUND = Duration.ofSeconds(60);
  static final int NODES = 3;
  static final String STORE = "default";

  private final ControlPlane plane;
  private final StoreCluster cluster;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private RealParts(ControlPlane plane, StoreCluster cluster) {
    this.plane = plane;
    this.cluster = cluster;
  }

  static RealParts start(Path folder) {
    return start(folder, node -> node);
  }

  /**
   * @param adapted each node's configuration, from one with defaults
   */
  static RealParts start(Path folder, UnaryOperator<StoreNodeConfig> adapted) {
    Epsilon epsilon = Epsilon.parse("10ms");
    List<Integer> ports = Ports.free(NODES);
    ControlPlane plane =
        ControlPlane.start(
            folder.resolve("control"),
            NODES,
            epsilon,
            ControlPlane.Settings.DEFAULT.withPast(
                PastReads.of(StoreCluster.addresses(StoreCluster.layout(ports)))),
            ControlPlane.Ports.FREE,
            alert -> {});
    try {
      List<StoreDefinition> stores =
          List.of(StoreDefinition.of(STORE, Persistence.BDB, NODES, 1, 1));
      return new RealParts(
          plane,
          StoreCluster.start(
              ports, stores, folder, null, adapted, epsilon, plane.watch(), plane.registry()));
    } catch (RuntimeException e) {
      plane.close();
      throw e;
    }
  }

  ControlPlane plane() {
    return plane;
  }

  StoreCluster cluster() {
    return cluster;
  }

  StoreClient client(String id) {
    return StoreClient.connect(ClientConfig.of(cluster.addresses(), id));
  }

  /** One that asks the node of its region first, over these links. */
  StoreClient client(String id, int region, HeldLinks links) {
    return StoreClient.connect(
        ClientConfig.of(cluster.addresses(), id)
            .withRouting(Routing.nearestFirst(region))
            .withLinks(links));
  }

  /** The value on each node, null where absent; siblings joined by a bar. */
  List<@Nullable String> versions(String key) {
    List<@Nullable String> values = new ArrayList<>();
    try (StoreClient reader = client("reader")) {
      for (int node = 0; node < NODES; node++) {
        List<String> siblings =
            reader.store(STORE).versionsAt(node, key).stream()
                .map(version -> version.text())
                .toList();
        values.add(siblings.isEmpty() ? null : String.join("|", siblings));
      }
    }
    return values;
  }

  void awaitEverywhere(String key, String value) {
    await()
        .atMost(BOUND)
        .until(() -> versions(key), values -> values.stream().allMatch(value::equals));
  }

  List<Rollback> ended() {
    return plane.orchestrator().rollbacks(10).stream().filter(Rollback::isEnded).toList();
  }

  /** Runs {@code palinode} with the address of the API; its exit status. */
  int palinode(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--server");
    all.add(plane.apiUrl());
    return run(all.toArray(String[]::new));
  }

  /** Runs {@code palinode}; its exit status. */
  int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine palinode = Main.commandLine();
    palinode.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return palinode.execute(args);
  }

  /** Records the trace of a predicate and judges it: a line of JSON for each violation. */
  List<String> replay(String name, Path predicate, Path trace) {
    assertThat(
            run(
                "record",
                "--kafka",
                plane.kafkaAddress(),
                "--predicate",
                name,
                "-o",
                trace.toString()))
        .as(err())
        .isZero();
    assertThat(run("detect", "--predicate", predicate.toString(), trace.toString()))
        .as(err())
        .isOne();
    return out().lines().toList();
  }

  /** What the last command has printed. */
  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  @Override
  public void close() {
    try {
      cluster.close();
    } finally {
      plane.close();
    }
  }
}

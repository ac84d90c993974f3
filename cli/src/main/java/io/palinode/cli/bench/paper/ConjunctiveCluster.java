package io.palinode.cli.bench.paper;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.StoreLoad;
import io.palinode.benchmarks.online.Conjunction;
import io.palinode.benchmarks.online.Paced;
import io.palinode.benchmarks.online.ViolationLatencies;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.Ports;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ScratchFolder;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.server.SystemMicros;
import io.palinode.wire.KafkaSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Store nodes on disk with sockets, R = W = 1, and clients of the conjunctive workload; watched or
 * not. All in this process.
 */
final class ConjunctiveCluster implements AutoCloseable {
  /** Of most tables in print. */
  static final Size USUAL = new Size(3, 2);

  /** All nodes read one clock. */
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);

  private static final String STORE = "conjunction";

  /**
   * How large it is.
   *
   * @param nodes each has all keys
   */
  record Size(int nodes, int clientsANode) {
    int clients() {
      return nodes * clientsANode;
    }
  }

  private final Conjunction workload;
  private final Size size;
  private final ScratchFolder data;
  private final @Nullable ControlPlane plane;
  private final StoreCluster cluster;
  private final StoreClient client;

  private ConjunctiveCluster(
      Conjunction workload, Size size, ScratchFolder data, @Nullable ControlPlane plane) {
    this.workload = workload;
    this.size = size;
    this.data = data;
    this.plane = plane;
    this.cluster =
        StoreCluster.start(
            Ports.free(size.nodes),
            List.of(StoreDefinition.of(STORE, Persistence.BDB, size.nodes, 1, 1)),
            data.path().resolve("nodes"),
            EPSILON,
            plane == null ? null : plane.watch(),
            plane == null ? new SimpleMeterRegistry() : plane.registry());
    this.client = StoreClient.connect(ClientConfig.of(cluster.addresses(), "bench"));
  }

  static ConjunctiveCluster start(Conjunction workload, Size size, boolean watched)
      throws IOException {
    ScratchFolder data = ScratchFolder.create("bench");
    ControlPlane plane =
        watched
            ? ControlPlane.start(
                data.path().resolve("control"),
                size.nodes,
                EPSILON,
                ControlPlane.Ports.FREE,
                said -> {})
            : null;
    if (plane != null) {
      plane.apply(Predicates.parse(workload.yaml(), Conjunction.NAME + ".yaml"));
    }
    return new ConjunctiveCluster(workload, size, data, plane);
  }

  /** Clients that work until the load is closed. */
  StoreLoad load() {
    return new StoreLoad(
        List.of(client.store(STORE)),
        size.clients(),
        one -> workload.requests(one, size.clients()));
  }

  /** Clients that make so many requests a second together, until the load is closed. */
  StoreLoad load(double perSecond) {
    return new StoreLoad(
        List.of(client.store(STORE)),
        size.clients(),
        one -> new Paced(workload.requests(one, size.clients()), perSecond / size.clients()));
  }

  /** The clients' figures over {@code seconds}, after {@code rampSeconds}. */
  Side measure(double rampSeconds, double seconds) throws InterruptedException {
    var system =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    try (StoreLoad load = load()) {
      return load.measure(rampSeconds, seconds, system::getProcessCpuTime);
    }
  }

  /** Of a watched cluster. */
  ViolationLatencies latencies() {
    ControlPlane watching = Objects.requireNonNull(plane, "the cluster is not watched");
    return new ViolationLatencies(
        KafkaSettings.of(watching.kafkaAddress()),
        watching.watch().topics().violations(),
        new SystemMicros());
  }

  @Override
  @SuppressWarnings("try") // Resources for their closes alone.
  public void close() {
    try (data;
        ControlPlane closedThird = plane;
        StoreCluster closedSecond = cluster;
        StoreClient closedFirst = client) {
      // Their closes alone, the last one first.
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}

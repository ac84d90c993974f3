package io.palinode.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.hvc.Epsilon;
import io.palinode.launcher.embedded.Ports;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.server.SystemMicros;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clocks of real nodes under load, measured through the control log, against ε. */
@Timeout(240)
@Tag("slow")
class ClockOffsetIT {
  private static final int NODES = 3;
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final Duration LOADED = Duration.ofSeconds(20);
  private static final Epsilon EPSILON = Epsilon.parse("10ms");
  private static final long SHIFT_MICROS = 2 * EPSILON.micros();
  private static final String STORE = "default";
  private static final Pattern BOUNDS =
      Pattern.compile(
          "palinode_clock_pair_seconds\\{bound=\"(\\w+)\",node=\"(\\d)\",other=\"(\\d)\"} (\\S+)");

  @TempDir private Path folder;
  private final Queue<String> alerts = new ConcurrentLinkedQueue<>();
  private final Parts parts = new Parts();

  @AfterEach
  void close() {
    parts.close();
  }

  @Test
  void aClockTwiceEpsilonAheadIsNamedUnderLoad() {
    ControlPlane plane = cluster(SHIFT_MICROS);
    await().atMost(BOUND).until(() -> !clockAlerts().isEmpty());
    assertThat(clockAlerts())
        .hasSize(1)
        .first()
        .asString()
        .contains("node=2")
        .containsPattern("node 2 is [0-9.]+ to [0-9.]+ ms ahead of node [01], epsilon is 10 ms");
    await().atMost(BOUND).untilAsserted(() -> assertThat(bounds(plane, "2")).hasSize(4));
    assertThat(bounds(plane, "2"))
        .allMatch(
            bound ->
                bound.group(1).equals("most")
                    // Node 2 is the second one of each pair.
                    ? Double.parseDouble(bound.group(4)) * 1e6 >= -SHIFT_MICROS
                    : Double.parseDouble(bound.group(4)) * 1e6 <= -SHIFT_MICROS);
  }

  @Test
  void equalClocksRaiseNoAlertUnderLoad() {
    ControlPlane plane = cluster(0);
    await()
        .during(LOADED)
        .atMost(BOUND)
        .until(
            () -> {
              assertThat(clockAlerts()).isEmpty();
              return bounds(plane, "1").size() == 2;
            });
    System.err.println(
        "BOUNDS "
            + plane.registry().scrape().lines().filter(l -> l.contains("clock_pair")).toList());
    for (MatchResult bound : bounds(plane, "1")) {
      assertThat(Double.parseDouble(bound.group(4)) * (bound.group(1).equals("most") ? 1 : -1))
          .isPositive();
    }
  }

  private List<String> clockAlerts() {
    return alerts.stream().filter(alert -> alert.contains("clock_offset")).toList();
  }

  private static List<MatchResult> bounds(ControlPlane plane, String other) {
    return BOUNDS
        .matcher(plane.registry().scrape())
        .results()
        .filter(bound -> bound.group(3).equals(other) && !bound.group(4).equals("NaN"))
        .toList();
  }

  /** Three nodes that write, the last one with its clock ahead. */
  private ControlPlane cluster(long aheadMicros) {
    ControlPlane plane =
        parts.started(
            ControlPlane.start(
                folder.resolve("control"), NODES, EPSILON, ControlPlane.Ports.FREE, alerts::add));
    Cluster cluster = StoreCluster.layout(Ports.free(NODES));
    List<StoreDefinition> stores = List.of(StoreDefinition.of(STORE, Persistence.BDB, NODES, 1, 1));
    SystemMicros real = new SystemMicros();
    for (int node = 0; node < NODES; node++) {
      long ahead = node == NODES - 1 ? aheadMicros : 0;
      parts.started(
          WatchedNode.start(
              WatchedNode.config(node, cluster, stores, EPSILON),
              folder,
              null,
              plane.watch(),
              () -> real.getAsLong() + ahead,
              plane.registry()));
    }
    List<String> addresses =
        cluster.nodes().stream().map(node -> "127.0.0.1:" + node.socketPort()).toList();
    StoreClient client = parts.started(StoreClient.connect(ClientConfig.of(addresses, "c")));
    AtomicBoolean running = new AtomicBoolean(true);
    Thread load = new Thread(() -> write(client.store(STORE), running), "load");
    parts.started(
        () -> {
          running.set(false);
          await().atMost(BOUND).until(() -> !load.isAlive());
        });
    load.start();
    return plane;
  }

  private static void write(Store store, AtomicBoolean running) {
    for (int i = 0; running.get(); i++) {
      store.put("k" + i % 100, "v" + i);
    }
  }
}

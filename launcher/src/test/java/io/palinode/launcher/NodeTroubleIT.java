package io.palinode.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.palinode.hvc.Epsilon;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.Status;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.server.SystemMicros;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One node of three with a wrong clock or a full disk: the cluster continues and names it. */
@Timeout(240)
class NodeTroubleIT {
  private static final int NODES = 3;
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final Epsilon EPSILON = Epsilon.parse("10ms");
  private static final String STORE = "default";
  private static final long TEN_SECONDS = 10_000_000;

  @TempDir private Path folder;
  private final Queue<String> alerts = new ConcurrentLinkedQueue<>();
  private final Parts parts = new Parts();
  private boolean mounted;

  @AfterEach
  void close() throws Exception {
    parts.close();
    if (mounted) {
      run("umount", "--lazy", folder.resolve("small").toString());
    }
  }

  @Test
  void aClockTenSecondsAheadIsReportedBeforeAnythingHalts() throws Exception {
    ControlPlane plane = plane();
    Cluster cluster = cluster();
    SystemMicros real = new SystemMicros();
    start(plane, cluster, 0, real, folder);
    start(plane, cluster, 1, real, folder);
    start(plane, cluster, 2, () -> real.getAsLong() + TEN_SECONDS, folder);
    await().atMost(BOUND).until(() -> alerts.stream().anyMatch(a -> a.contains("clock_offset")));
    assertThat(alerts)
        .filteredOn(alert -> alert.contains("clock_offset"))
        .hasSize(1)
        .first()
        .asString()
        .contains("node=2")
        .contains("severity=critical")
        .containsPattern(
            "node 2 is (9\\.[5-9]|10\\.0) s ahead of the other clocks, epsilon is 10 ms");
    assertThat(plane.registry().scrape())
        .containsPattern("palinode_clock_offset_seconds\\{node=\"2\"} (9\\.[5-9]|10\\.0)");
  }

  @Test
  void aFullDiskHoldsNoJudgementAndIsReportedWithItsNode() throws Exception {
    Path small = Files.createDirectory(folder.resolve("small"));
    mounted = run("mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", small.toString());
    assumeTrue(mounted, "a file system can be mounted by root only");
    ControlPlane plane = plane();
    Cluster cluster = cluster();
    for (int node = 0; node < NODES; node++) {
      start(plane, cluster, node, new SystemMicros(), node == 1 ? small : folder);
    }
    List<String> addresses =
        cluster.nodes().stream().map(node -> "127.0.0.1:" + node.socketPort()).toList();
    StoreClient client = parts.started(StoreClient.connect(ClientConfig.of(addresses, "c")));
    Store store = client.store(STORE);
    store.put("k", "before");
    await().atMost(BOUND).until(() -> plane.orchestrator().status().safePoint() > 0);

    fill(small);
    awaitAlert("storage_refuses");
    long from = new SystemMicros().getAsLong();
    await()
        .atMost(BOUND)
        .until(
            () -> {
              Status now = plane.orchestrator().status();
              long passed = new SystemMicros().getAsLong() - from;
              return passed > TEN_SECONDS && now.judgedLagMicros() < TEN_SECONDS / 2;
            });
    assertThat(plane.orchestrator().status().losses()).isZero();

    Files.delete(small.resolve("filling"));
    await()
        .atMost(BOUND)
        .until(() -> alerts.stream().anyMatch(a -> a.startsWith("ended=storage_refuses at=")));
    await().atMost(BOUND).until(() -> reachesTheNode(store));
  }

  private void awaitAlert(String kind) {
    await()
        .atMost(BOUND)
        .until(
            () -> alerts.stream().anyMatch(a -> a.matches("alert=" + kind + " at=\\S+ node=1 .*")));
  }

  private static boolean reachesTheNode(Store store) {
    try {
      store.put("k", "after");
      return store.versionsAt(1, "k").stream().anyMatch(v -> v.text().equals("after"));
    } catch (StoreException notNow) {
      return false;
    }
  }

  private ControlPlane plane() {
    return parts.started(
        ControlPlane.start(
            folder.resolve("control"), NODES, EPSILON, ControlPlane.Ports.FREE, alerts::add));
  }

  private static Cluster cluster() {
    return StoreCluster.layout(Ports.free(NODES));
  }

  private void start(ControlPlane plane, Cluster cluster, int node, LongSupplier clock, Path data) {
    List<StoreDefinition> stores = List.of(StoreDefinition.of(STORE, Persistence.BDB, NODES, 1, 1));
    parts.started(
        WatchedNode.start(
            WatchedNode.config(node, cluster, stores, EPSILON),
            data,
            null,
            plane.watch(),
            clock,
            plane.registry()));
  }

  private static void fill(Path volume) {
    try (OutputStream out = Files.newOutputStream(volume.resolve("filling"))) {
      while (true) {
        out.write(new byte[64 << 10]);
      }
    } catch (IOException full) {
      assertThat(volume.toFile().getUsableSpace()).isLessThan(64 << 10);
    }
  }

  private static boolean run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
  }
}

package io.palinode.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.WatchedNode;
import io.palinode.launcher.embedded.Ports;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.orchestrator.health.Wait;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** One node of three publishes nothing for long: judgement continues without it. */
@Timeout(300)
@Tag("slow")
class SkippedNodeIT {
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final Epsilon EPSILON = Epsilon.parse("10ms");
  private static final List<StoreDefinition> STORES =
      List.of(StoreDefinition.of("default", Persistence.BDB, 3, 1, 1));

  @TempDir Path folder;
  private final List<AutoCloseable> parts = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    processes.forEach(process -> process.destroyForcibly().onExit().join());
    for (int i = parts.size() - 1; i >= 0; i--) {
      parts.get(i).close();
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void aFrozenNodeIsSkippedUntilItIsRestarted() throws Exception {
    DetectionSettings detection =
        DetectionSettings.DEFAULT.withSkipAfter(DetectionSettings.SKIP_AFTER_MIN);
    ControlPlane.Settings defaults = ControlPlane.Settings.DEFAULT;
    ControlPlane plane =
        ControlPlane.start(
            folder.resolve("control"),
            3,
            EPSILON,
            new ControlPlane.Settings(
                detection, defaults.predicates(), defaults.alerts(), defaults.past()),
            ControlPlane.Ports.FREE,
            alert -> {});
    parts.add(plane);
    Cluster layout = StoreCluster.layout(Ports.free(3));
    for (int id : List.of(0, 1)) {
      parts.add(
          WatchedNode.start(
              WatchedNode.config(id, layout, STORES, EPSILON),
              folder,
              null,
              plane.watch(),
              plane.registry()));
    }
    Process node = startNode(layout, plane, "first");
    awaitSafePointOfNow(plane);

    signal(node, "STOP");
    awaitSafePointOfNow(plane);
    assertThat(plane.orchestrator().status().losses()).as("a gap since then").isPositive();
    awaitWait(plane, "judgement continues without node 2, which was silent");

    signal(node, "CONT");
    await()
        .atMost(BOUND)
        .until(
            () ->
                plane.orchestrator().unjudged().stream()
                    .anyMatch(span -> span.reason().contains("node 2 is skipped")));
    node.destroyForcibly().onExit().join();
    startNode(layout, plane, "second");
    await()
        .atMost(BOUND)
        .until(() -> waits(plane).stream().noneMatch(wait -> wait.contains("node 2")));
    long losses = plane.orchestrator().status().losses();
    awaitSafePointOfNow(plane);
    assertThat(plane.orchestrator().status().losses()).as("it is judged again").isEqualTo(losses);
  }

  private Process startNode(Cluster layout, ControlPlane plane, String name) throws IOException {
    Path cluster = Files.writeString(folder.resolve("cluster.xml"), layout.toXml());
    Path log = folder.resolve(name + ".log");
    Path stores = Files.writeString(folder.resolve("stores.xml"), StoreDefinition.toXml(STORES));
    Process node =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.palinode.cli.Main",
                "run",
                "node",
                "--id",
                "2",
                "--cluster",
                cluster.toString(),
                "--stores",
                stores.toString(),
                "--data",
                folder.resolve("second").toString(),
                "--kafka",
                plane.kafkaAddress())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    processes.add(node);
    await().atMost(BOUND).until(() -> Files.readString(log).contains("ready"));
    return node;
  }

  private static void signal(Process node, String signal) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + signal, "" + node.pid()).start().waitFor())
        .isZero();
  }

  private static void awaitSafePointOfNow(ControlPlane plane) {
    long now = Hlc.ofMicros(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    await().atMost(BOUND).until(() -> plane.orchestrator().status().safePoint() >= now);
  }

  private static void awaitWait(ControlPlane plane, String what) {
    await()
        .atMost(BOUND)
        .untilAsserted(
            () -> assertThat(waits(plane)).anySatisfy(wait -> assertThat(wait).contains(what)));
  }

  private static List<String> waits(ControlPlane plane) {
    return plane.orchestrator().judgement().waits().stream().map(Wait::what).toList();
  }
}

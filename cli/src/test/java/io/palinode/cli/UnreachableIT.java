package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.cli.cluster.ControlPlane;
import io.palinode.cli.cluster.Ports;
import io.palinode.cli.cluster.StoreCluster;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Rollback;
import io.palinode.predicate.Predicates;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.RolledBackException;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The whole way, with window-logs so small that what is written right after a violation pushes the
 * time before it out of them.
 */
@Timeout(240)
class UnreachableIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int NODES = 3;
  private static final String STORE = "default";
  private static final WindowLogConfig TINY = new WindowLogConfig(Duration.ofMinutes(10), 1);

  private static final String WITHOUT_ROLLBACK =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: both}
      spec:
        violation:
          - all:
              - {var: a, equals: "1"}
              - {var: b, equals: "1"}
      """;

  private static final int BULK_KEYS = 8;
  private static final int BULK_WRITES = 12;

  /** Two do not go into one segment of a window-log. */
  private static final int BULK_BYTES = 200_000;

  private static final List<String> KEYS =
      Stream.concat(
              Stream.of("a", "b", "before", "between", "after"),
              IntStream.range(0, BULK_KEYS).mapToObj(i -> "bulk" + i))
          .toList();

  @TempDir private Path folder;
  private final List<Entry> history = new ArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** A write that the first replica of its key accepted then. */
  private record Entry(String key, String value, long acceptedAt) {}

  /** What a test does with a cluster. */
  @FunctionalInterface
  private interface Scenario {
    void play(ControlPlane plane, StoreCluster cluster, Store a, Store b) throws IOException;
  }

  @Test
  void theStoreGoesToTheNewestSnapshotBeforeTheViolationOnEveryNode() {
    onCluster(
        "nearest-snapshot",
        (plane, cluster, a, b) -> {
          put(a, "before", "1");
          put(a, "a", "0");
          awaitEverywhere(cluster, "a", "0");
          take(plane, cluster, "older");
          put(b, "between", "2");
          bulk(b, "old");
          awaitEverywhere(cluster, "between", "2");
          long cut = take(plane, cluster, "good");
          violate(a, b);

          Rollback rollback = awaitState(plane, 1, Rollback.State.RESUMED);
          assertThat(rollback.target()).isEqualTo(cut);
          requireEverywhere(cluster, replayedTo(cut));
          assertThatThrownBy(() -> a.put("after", "again"))
              .isInstanceOfSatisfying(
                  RolledBackException.class,
                  e -> {
                    assertThat(e.rolledBack().target()).isEqualTo(cut);
                    assertThat(e.rolledBack().restart()).isFalse();
                  });
          a.put("after", "in the new epoch");
          awaitEverywhere(cluster, "after", "in the new epoch");
          assertThat(plane.orchestrator().rollbacks(10)).hasSize(1);
        });
  }

  @Test
  void withARestartNothingIsTakenBackAndASecondOneHalts() {
    onCluster(
        "restart",
        (plane, cluster, a, b) -> {
          put(a, "before", "1");
          violate(a, b);

          assertThat(awaitState(plane, 1, Rollback.State.RESTARTED)).isNotNull();
          // The state is a violation still.
          Rollback again = awaitState(plane, 2, Rollback.State.HALTED);
          assertThat(again.haltReason()).contains("told to begin anew in epoch 1");

          plane.apply(Predicates.parse(WITHOUT_ROLLBACK, "p.yaml"));
          assertThat(run(plane, "rollback", "abandon", "2", "--yes")).as(err.toString()).isZero();
          assertThat(awaitState(plane, 2, Rollback.State.ABANDONED)).isNotNull();
          for (String key : List.of("a", "b", "before")) {
            awaitEverywhere(cluster, key, "1");
          }
          for (String key : KEYS) {
            assertThat(new HashSet<>(versions(cluster, key))).as(key).hasSize(1);
          }
          // Both were missed: one of them was a restart.
          assertThatThrownBy(() -> a.put("after", "again"))
              .isInstanceOfSatisfying(
                  RolledBackException.class, e -> assertThat(e.rolledBack().restart()).isTrue());
        });
  }

  private void onCluster(String onUnreachable, Scenario scenario) {
    Epsilon epsilon = Epsilon.parse("10ms");
    try (ControlPlane plane =
            ControlPlane.start(
                folder.resolve("control"), NODES, epsilon, ControlPlane.Ports.FREE, alert -> {});
        StoreCluster cluster =
            StoreCluster.start(
                Ports.free(NODES),
                List.of(StoreDefinition.of(STORE, Persistence.BDB, NODES, 1, 1)),
                folder,
                null,
                node -> node.withWindowLog(TINY),
                epsilon,
                plane.watch(),
                plane.registry());
        StoreClient a = StoreClient.connect(ClientConfig.of(cluster.addresses(), "a"));
        StoreClient b = StoreClient.connect(ClientConfig.of(cluster.addresses(), "b"))) {
      plane.apply(Predicates.parse(predicate(onUnreachable), "p.yaml"));
      awaitConverged(plane);
      scenario.play(plane, cluster, a.store(STORE), b.store(STORE));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String predicate(String onUnreachable) {
    return WITHOUT_ROLLBACK
        + "  onViolation:\n    rollback: {}\n    onUnreachable: "
        + onUnreachable
        + "\n";
  }

  /** All nodes look for the predicate, and the job judges by it. */
  private void awaitConverged(ControlPlane plane) {
    await()
        .atMost(BOUND)
        .until(
            () ->
                run(plane, "get", "predicates", "-o", "json") == 0
                    && new ObjectMapper()
                        .readTree(out.toString())
                        .get(0)
                        .path("converged")
                        .asBoolean());
  }

  /** Then so much is written at once that no window-log holds the time before it. */
  private void violate(Store a, Store b) {
    put(a, "a", "1");
    put(b, "b", "1");
    try {
      bulk(b, "new");
    } catch (RolledBackException early) {
      // Enough was written before.
    }
  }

  private void bulk(Store store, String value) {
    for (int i = 0; i < BULK_WRITES; i++) {
      put(store, "bulk" + i % BULK_KEYS, value + i + "x".repeat(BULK_BYTES));
    }
  }

  private void put(Store store, String key, String value) {
    history.add(new Entry(key, value, store.put(key, value).acceptedAt()));
  }

  /** Returns its cut. */
  private long take(ControlPlane plane, StoreCluster cluster, String name) throws IOException {
    assertThat(run(plane, "snapshot", "take", "--name", name)).as(err.toString()).isZero();
    assertThat(
            run(
                plane,
                "snapshot",
                "show",
                name,
                "-o",
                "json",
                "--bootstrap",
                cluster.addresses().get(0)))
        .as(err.toString())
        .isZero();
    return Hlc.parse(new ObjectMapper().readTree(out.toString()).path("at").asText());
  }

  private static Rollback awaitState(ControlPlane plane, long epoch, Rollback.State state) {
    return Objects.requireNonNull(
        await()
            .atMost(BOUND)
            .until(
                () ->
                    plane.orchestrator().rollbacks(10).stream()
                        .filter(one -> one.epoch() == epoch && one.state() == state)
                        .findFirst()
                        .orElse(null),
                Objects::nonNull));
  }

  /** Each key has one writer here, so its last write at or before T is its value at T. */
  private Map<String, String> replayedTo(long target) {
    Map<String, String> state = new TreeMap<>();
    history.stream()
        .filter(entry -> entry.acceptedAt() <= target)
        .forEach(entry -> state.put(entry.key(), entry.value()));
    return state;
  }

  private static void requireEverywhere(StoreCluster cluster, Map<String, String> expected) {
    for (String key : KEYS) {
      assertThat(versions(cluster, key))
          .as(key)
          .hasSize(NODES)
          .allMatch(value -> Objects.equals(value, expected.get(key)));
    }
  }

  private static void awaitEverywhere(StoreCluster cluster, String key, String value) {
    await()
        .atMost(BOUND)
        .until(() -> versions(cluster, key), values -> values.stream().allMatch(value::equals));
  }

  /** The value on each node, null where absent; siblings joined by a bar. */
  private static List<@Nullable String> versions(StoreCluster cluster, String key) {
    List<@Nullable String> values = new ArrayList<>();
    try (StoreClient reader = StoreClient.connect(ClientConfig.of(cluster.addresses(), "reader"))) {
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

  private int run(ControlPlane plane, String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine palinode = Main.commandLine();
    palinode.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--server");
    all.add(plane.apiUrl());
    return palinode.execute(all.toArray(String[]::new));
  }
}

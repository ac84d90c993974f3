package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.NODES;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.predicate.form.Predicates;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.StoreException;
import java.io.IOException;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole way, with window-logs so small that what is written right after a violation pushes the
 * time before it out of them.
 */
@Timeout(240)
class UnreachableIT {
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

  /** A write that the first replica of its key accepted then. */
  private record Entry(String key, String value, long acceptedAt) {}

  /** What a test does with a cluster. */
  @FunctionalInterface
  private interface Scenario {
    void play(RealParts parts, Store a, Store b) throws IOException;
  }

  @Test
  void theStoreGoesToTheNewestSnapshotBeforeTheViolationOnEveryNode() {
    onCluster(
        "nearest-snapshot",
        (parts, a, b) -> {
          put(a, "before", "1");
          put(a, "a", "0");
          parts.awaitEverywhere("a", "0");
          take(parts, "older");
          put(b, "between", "2");
          bulk(b, "old");
          parts.awaitEverywhere("between", "2");
          long cut = take(parts, "good");
          violate(a, b);

          Rollback rollback = awaitState(parts, 1, Rollback.State.RESUMED);
          assertThat(rollback.target()).isEqualTo(cut);
          requireEverywhere(parts, replayedTo(cut));
          assertThatThrownBy(() -> a.put("after", "again"))
              .isInstanceOfSatisfying(
                  RolledBackException.class,
                  e -> {
                    assertThat(e.rolledBack().target()).isEqualTo(cut);
                    assertThat(e.rolledBack().restart()).isFalse();
                  });
          a.put("after", "in the new epoch");
          parts.awaitEverywhere("after", "in the new epoch");
          assertThat(parts.plane().orchestrator().rollbacks(10)).hasSize(1);
        });
  }

  @Test
  void anOperatorRestoresASnapshotWithinAndBeyondTheReach() {
    onCluster(
        "halt",
        (parts, a, b) -> {
          put(a, "before", "1");
          parts.awaitEverywhere("before", "1");
          long cut = take(parts, "good");
          put(a, "after", "1");
          parts.awaitEverywhere("after", "1");
          assertThat(restore(parts, "plan")).isZero();
          assertThat(parts.out())
              .containsPattern("would go back to snapshot good, of .*")
              .containsPattern("writes discarded +1");
          assertThat(restore(parts, "run", "--yes")).as(parts.err()).isZero();
          requireEverywhere(parts, replayedTo(cut));
          assertThat(parts.palinode("rollback", "undo", "1", "--yes")).as(parts.err()).isZero();
          requireEverywhere(parts, replayedTo(Long.MAX_VALUE));

          renew(b);
          bulk(b, "old");
          assertThat(restore(parts, "plan")).as(parts.err()).isZero();
          assertThat(parts.out().replaceAll("\\s+", " "))
              .contains("how many is not known", "is out of the reach of node");
          assertThat(restore(parts, "run", "--yes")).as(parts.err()).isZero();
          requireEverywhere(parts, replayedTo(cut));
          assertThat(parts.palinode("rollback", "status")).isZero();
          assertThat(parts.out()).containsPattern("opened by +hand, to snapshot good");
          assertThat(parts.palinode("get", "rollbacks")).isZero();
          assertThat(parts.out()).contains("to snapshot good");
          assertThat(parts.palinode("rollback", "run", "--to-snapshot", "bad", "--yes"))
              .isEqualTo(2);
          assertThat(parts.err())
              .contains("snapshot 'bad' cannot be restored: there is none of this name")
              .contains("palinode snapshot list");
        });
  }

  @Test
  void aCommandStatesThatARollbackHasPausedTheNodesAndWhichTimesCanBeRead() {
    onCluster(
        "halt",
        (parts, a, b) -> {
          put(a, "before", "1");
          long before = history.get(0).acceptedAt();
          bulk(b, "old");
          violate(a, b);
          assertThat(awaitState(parts, 1, Rollback.State.HALTED)).isNotNull();
          String node = parts.cluster().addresses().get(0);
          long asked = System.nanoTime();
          assertThat(parts.run("put", "x", "1", "--bootstrap", node, "--store", STORE))
              .isEqualTo(1);
          assertThat(Duration.ofNanos(System.nanoTime() - asked))
              .isLessThan(Duration.ofSeconds(20));
          assertThat(parts.err())
              .contains("palinode: rollback 1 has paused the nodes for more than 5 s")
              .contains("'palinode rollback status 1'", "'palinode rollback abandon 1'");

          // Else the next rollback halts too.
          assertThat(parts.palinode("delete", "both")).as(parts.err()).isZero();
          assertThat(parts.palinode("rollback", "abandon", "1", "--yes")).isZero();
          awaitState(parts, 1, Rollback.State.ABANDONED);
          String early = Hlc.format(before);
          assertThat(
                  parts.run(
                      "get-value", "before", "--at", early, "--bootstrap", node, "--store", STORE))
              .isEqualTo(2);
          assertThat(parts.err())
              .contains("no value can be read at " + PointInTime.format(before))
              .contains("the log reaches back to 20", "palinode snapshot list")
              .doesNotContain("GET on");
        });
  }

  private static int restore(RealParts parts, String verb, String... more) {
    return parts.palinode(
        Stream.concat(Stream.of("rollback", verb, "--to-snapshot", "good"), Stream.of(more))
            .toArray(String[]::new));
  }

  /** The client's next call continues in the epoch in force. */
  private static void renew(Store store) {
    assertThatThrownBy(() -> store.get("before")).isInstanceOf(RolledBackException.class);
  }

  @Test
  void withARestartNothingIsRestoredAndTheViolationStands() {
    onCluster(
        "restart",
        (parts, a, b) -> {
          put(a, "before", "1");
          // From here on nothing is slow for being done for the first time.
          bulk(b, "old");
          violate(a, b);

          assertThat(awaitState(parts, 1, Rollback.State.RESTARTED)).isNotNull();
          assertThatThrownBy(() -> a.put("after", "again"))
              .isInstanceOfSatisfying(
                  RolledBackException.class, e -> assertThat(e.rolledBack().restart()).isTrue());
          for (String key : List.of("a", "b", "before")) {
            parts.awaitEverywhere(key, "1");
          }
          // The state is still a violation. It stands, so that programs can clear it.
          put(a, "a", "0");
          parts.awaitEverywhere("a", "0");
          for (String key : KEYS) {
            assertThat(new HashSet<>(parts.versions(key))).as(key).hasSize(1);
          }
          assertThat(parts.plane().orchestrator().rollbacks(10)).hasSize(1);
        });
  }

  private void onCluster(String onUnreachable, Scenario scenario) {
    try (RealParts parts =
            RealParts.start(folder, node -> node.with(settings -> settings.withWindowLog(TINY)));
        StoreClient a = parts.client("a");
        StoreClient b = parts.client("b")) {
      parts.plane().apply(Predicates.parse(predicate(onUnreachable), "p.yaml"));
      awaitConverged(parts);
      scenario.play(parts, a.store(STORE), b.store(STORE));
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
  private static void awaitConverged(RealParts parts) {
    await()
        .atMost(BOUND)
        .until(
            () ->
                parts.palinode("get", "predicates", "-o", "json") == 0
                    && new ObjectMapper()
                        .readTree(parts.out())
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
    } catch (RolledBackException | StoreException early) {
      // Enough was written before; and a plan that has halted again by now pauses all clients.
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
  private static long take(RealParts parts, String name) throws IOException {
    assertThat(parts.palinode("snapshot", "take", "--name", name)).as(parts.err()).isZero();
    assertThat(
            parts.palinode(
                "snapshot",
                "show",
                name,
                "-o",
                "json",
                "--bootstrap",
                parts.cluster().addresses().get(0)))
        .as(parts.err())
        .isZero();
    return Hlc.parse(new ObjectMapper().readTree(parts.out()).path("at").asText());
  }

  private static Rollback awaitState(RealParts parts, long epoch, Rollback.State state) {
    return Objects.requireNonNull(
        await()
            .atMost(BOUND)
            .until(
                () ->
                    parts.plane().orchestrator().rollbacks(10).stream()
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

  private static void requireEverywhere(RealParts parts, Map<String, String> expected) {
    for (String key : KEYS) {
      assertThat(parts.versions(key))
          .as(key)
          .hasSize(NODES)
          .allMatch(value -> Objects.equals(value, expected.get(key)));
    }
  }
}

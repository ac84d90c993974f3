package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.cli.cluster.ControlPlane;
import io.palinode.cli.cluster.Ports;
import io.palinode.cli.cluster.StoreCluster;
import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.hvc.Epsilon;
import io.palinode.orchestrator.Rollback;
import io.palinode.predicate.Predicates;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.ClientConfig.Routing;
import io.palinode.voldemort.client.RolledBackException;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rollback of scope {@code affected} on the real parts: what came of the violation goes back,
 * while a client beside it writes on and never hears of it.
 */
@Timeout(240)
class AffectedIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final String STORE = "s";
  private static final int NODES = 3;
  private static final String MUTEX =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: mutex}
      spec:
        forEach: {edge: "{a}_{b}"}
        violation:
          - all:
              - {var: "cs_{a}_{b}_{a}", equals: "1"}
              - {var: "cs_{a}_{b}_{b}", equals: "1"}
        onViolation:
          rollback: {scope: affected, to: before-violation}
      """;

  @TempDir private Path folder;

  @Test
  void onlyWhatCameOfTheViolationGoesBackAndWhoIsBesideItGoesOn() throws Exception {
    Epsilon epsilon = Epsilon.parse("10ms");
    HeldLinks held = new HeldLinks();
    try (ControlPlane plane =
            ControlPlane.start(
                folder.resolve("control"), NODES, epsilon, ControlPlane.Ports.FREE, alert -> {});
        StoreCluster cluster =
            StoreCluster.start(
                Ports.free(NODES),
                List.of(StoreDefinition.of(STORE, Persistence.BDB, NODES, 1, 1)),
                folder,
                epsilon,
                plane.watch(),
                plane.registry());
        StoreClient a = client(cluster, "a", 0, held);
        StoreClient b = client(cluster, "b", 1, new HeldLinks());
        StoreClient reader = client(cluster, "d", 1, new HeldLinks());
        StoreClient beside = client(cluster, "c", 2, new HeldLinks())) {
      plane.apply(Predicates.parse(MUTEX, "mutex.yaml"));
      for (int node = 0; node < NODES; node++) {
        StoreNodeNotes notes = new StoreNodeNotes(cluster, node);
        await().atMost(BOUND).until(notes::begun);
      }
      b.store(STORE).put("cs_1_2_2", "0");
      awaitEverywhere(cluster, "cs_1_2_2", "0");
      Bystander bystander = new Bystander(beside.store(STORE));
      CompletableFuture<Map<String, String>> written =
          CompletableFuture.supplyAsync(bystander::run);
      await().atMost(BOUND).until(() -> bystander.rounds.get() >= 2);

      held.hold(1);
      held.hold(2);
      a.store(STORE).put("cs_1_2_1", "1");
      b.store(STORE).put("cs_1_2_2", "1");
      assertThat(reader.store(STORE).get("cs_1_2_2")).isEqualTo("1");
      reader.store(STORE).put("came", "of it");

      Rollback rollback =
          await().atMost(BOUND).until(() -> ended(plane), found -> !found.isEmpty()).get(0);
      assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
      assertThat(Objects.requireNonNull(plane.orchestrator().progress(1)).moves()).isEmpty();
      assertThat(rollback.attempts()).isEqualTo(1);
      held.release(1);
      held.release(2);
      int rounds = bystander.rounds.get();
      await().atMost(BOUND).until(() -> bystander.rounds.get() >= rounds + 2);
      bystander.stop.set(true);

      written.get().forEach((key, value) -> awaitEverywhere(cluster, key, value));
      assertThat(beside.epoch()).isEqualTo(1);
      assertThat(beside.metrics().rollbacks()).isZero();
      awaitEverywhere(cluster, "cs_1_2_1", "1");
      awaitEverywhere(cluster, "cs_1_2_2", "0");
      assertThat(versions(cluster, "came")).containsOnlyNulls();
      assertThatThrownBy(() -> b.store(STORE).put("x", "1"))
          .isInstanceOfSatisfying(
              RolledBackException.class,
              e -> assertThat(e.rolledBack().target()).isEqualTo(rollback.target()));
      assertThatThrownBy(() -> reader.store(STORE).get("x"))
          .isInstanceOfSatisfying(
              RolledBackException.class,
              e -> assertThat(e.rolledBack().target()).isGreaterThan(rollback.target()));
      a.store(STORE).put("cs_1_2_1", "0");
      assertThat(a.metrics().rollbacks()).as("its write stands").isZero();
    }
  }

  /** Whether a node notes who uses which keys. */
  private record StoreNodeNotes(StoreCluster cluster, int node) {
    boolean begun() {
      return cluster.node(node).accesses(Long.MAX_VALUE).since() != Long.MAX_VALUE;
    }
  }

  /** A program that writes keys of its own, one after the other. */
  private static final class Bystander {
    private static final int KEYS = 10;
    private final Store store;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger rounds = new AtomicInteger();

    Bystander(Store store) {
      this.store = store;
    }

    /** What it has of each key in the end, by what was acknowledged. */
    Map<String, String> run() {
      Map<String, String> acknowledged = new TreeMap<>();
      while (!stop.get()) {
        for (int key = 0; key < KEYS; key++) {
          String value = "round " + rounds.get();
          store.put("own" + key, value);
          acknowledged.put("own" + key, value);
          assertThat(store.get("own" + key)).isNotNull();
        }
        rounds.incrementAndGet();
      }
      return acknowledged;
    }
  }

  private static List<Rollback> ended(ControlPlane plane) {
    return plane.orchestrator().rollbacks(10).stream().filter(Rollback::isEnded).toList();
  }

  private static void awaitEverywhere(StoreCluster cluster, String key, String value) {
    await()
        .atMost(BOUND)
        .until(() -> versions(cluster, key), values -> values.stream().allMatch(value::equals));
  }

  /** The value on each node, null where absent; siblings joined by a bar. */
  private static List<@org.jspecify.annotations.Nullable String> versions(
      StoreCluster cluster, String key) {
    List<@org.jspecify.annotations.Nullable String> values = new ArrayList<>();
    try (StoreClient client = StoreClient.connect(ClientConfig.of(cluster.addresses(), "v"))) {
      for (int node = 0; node < NODES; node++) {
        List<String> siblings =
            client.store(STORE).versionsAt(node, key).stream()
                .map(version -> version.text())
                .toList();
        values.add(siblings.isEmpty() ? null : String.join("|", siblings));
      }
    }
    return values;
  }

  private static StoreClient client(StoreCluster cluster, String id, int region, HeldLinks links) {
    return StoreClient.connect(
        ClientConfig.of(cluster.addresses(), id)
            .withRouting(Routing.NEAREST_FIRST, region)
            .withLinks(links));
  }
}

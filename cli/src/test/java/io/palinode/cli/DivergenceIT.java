package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessFormatException;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.Ports;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.ClientConfig.Routing;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole way with R = W = 1, without chance: links to one replica are held, so that copies come
 * late, or after a delete.
 */
class DivergenceIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final Path EXAMPLE = Path.of("../examples/carts/carts-agree.yaml");
  private static final String STORE = "carts";
  private static final int NODES = 3;
  private static final long LONGER_THAN_MICROS = 1_500_000;
  private static final Epsilon EPSILON = Epsilon.parse("10ms");

  @TempDir private Path folder;

  @Test
  void replicasThatDisagreeForTooLongAreReportedOnceAndLateCopiesAreNot() throws IOException {
    String yaml = Files.readString(EXAMPLE).replace("longerThan: 5s", "longerThan: 1500ms");
    HeldLinks held = new HeldLinks();
    try (ControlPlane plane =
            ControlPlane.start(
                folder.resolve("control"), NODES, EPSILON, ControlPlane.Ports.FREE, alert -> {});
        StoreCluster cluster =
            StoreCluster.start(
                Ports.free(NODES),
                List.of(StoreDefinition.of(STORE, Persistence.BDB, NODES, 1, 1)),
                folder,
                EPSILON,
                plane.watch(),
                plane.registry());
        StoreClient a = client(cluster, "a", held);
        StoreClient b = client(cluster, "b", new HeldLinks())) {
      Store cutOff = a.store(STORE);
      Store whole = b.store(STORE);
      held.hold(1);
      cutOff.put("cart_before", "pear");
      plane.apply(Predicates.parse(yaml, EXAMPLE.toString()));
      whole.put("cart_alike", "apple");

      Violation before = reported(plane, "u=before", 1).get(0);
      assertThat(shown(before))
          .as("found by a search, or silent")
          .containsExactly("pear", "", "pear");
      assertThat(before.getGrade()).isEqualTo(ViolationGrade.DEFINITE);
      assertThat(Hlc.micros(before.getViolate()) - Hlc.micros(before.getFirst()))
          .isEqualTo(LONGER_THAN_MICROS + EPSILON.micros());
      release(held, cluster, "cart_before", "pear");

      held.hold(1);
      cutOff.put("cart_before", "plum");
      assertThat(shown(reported(plane, "u=before", 2).get(1)))
          .as("agreement has ended the first episode")
          .containsExactly("plum", "pear", "plum");
      release(held, cluster, "cart_before", "plum");

      held.hold(1);
      cutOff.put("cart_late", "fig");
      assertThat(whole.delete("cart_late")).isTrue();
      await().atMost(BOUND).until(() -> versions(cluster, "cart_late").get(2) == null);
      held.release(1);
      await().atMost(BOUND).until(() -> "fig".equals(versions(cluster, "cart_late").get(1)));
      assertThat(shown(reported(plane, "u=late", 1).get(0)))
          .as("a copy that came after the delete")
          .containsExactly("", "fig", "");

      assertThat(reported(plane, "u=alike", 0)).isEmpty();
      assertThat(plane.orchestrator().violations(10)).hasSize(3);
      assertThat(plane.orchestrator().rollbacks(10)).isEmpty();
      plane.orchestrator().violations(10).forEach(found -> assertChecks(plane, found));
    }
  }

  /** Waits for so many. */
  private static List<Violation> reported(ControlPlane plane, String binding, int count) {
    return await()
        .atMost(BOUND)
        .until(() -> ofBinding(plane, binding), found -> found.size() >= count);
  }

  private static List<Violation> ofBinding(ControlPlane plane, String binding) {
    return plane.orchestrator().violations(10).stream()
        .map(ReceivedViolation::violation)
        .filter(violation -> violation.getBinding().equals(binding))
        .sorted((x, y) -> Long.compare(x.getViolate(), y.getViolate()))
        .toList();
  }

  /** The value on each node, empty where it is absent. */
  private static List<String> shown(Violation violation) {
    assertThat(violation.getWitnessesList()).extracting(Witness::getNode).containsExactly(0, 1, 2);
    return violation.getWitnessesList().stream()
        .map(
            witness ->
                witness.getValuesCount() == 0 ? "" : witness.getValues(0).getValue().toStringUtf8())
        .toList();
  }

  private static void assertChecks(ControlPlane plane, ReceivedViolation found) {
    try {
      String file =
          WitnessJson.write(
              Objects.requireNonNull(plane.orchestrator().witness(found.violation().getId())));
      assertThat(WitnessCheck.check(WitnessJson.read(file, "witness"))).as(file).isEmpty();
    } catch (RefusedException | WitnessFormatException e) {
      throw new AssertionError(e);
    }
  }

  private static void release(HeldLinks held, StoreCluster cluster, String key, String value) {
    held.release(1);
    await()
        .atMost(BOUND)
        .until(() -> versions(cluster, key), values -> values.stream().allMatch(value::equals));
  }

  /** The value on each node, null where absent. */
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

  /** Asks node 0 first. */
  private static StoreClient client(StoreCluster cluster, String id, HeldLinks links) {
    return StoreClient.connect(
        ClientConfig.of(cluster.addresses(), id)
            .withRouting(Routing.nearestFirst(0))
            .withLinks(links)
            .withRequestTimeout(BOUND));
  }
}

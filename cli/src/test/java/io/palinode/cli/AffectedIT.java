package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.NODES;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rollback of scope {@code affected} on the real parts: what came of the violation goes back,
 * while another client continues to write and receives no notice.
 */
@Timeout(240)
class AffectedIT {
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
    HeldLinks held = new HeldLinks();
    try (RealParts parts = RealParts.start(folder);
        StoreClient a = parts.client("a", 0, held);
        StoreClient b = parts.client("b", 1, new HeldLinks());
        StoreClient reader = parts.client("d", 1, new HeldLinks());
        StoreClient beside = parts.client("c", 2, new HeldLinks())) {
      parts.plane().apply(Predicates.parse(MUTEX, "mutex.yaml"));
      awaitNotes(parts);
      b.store(STORE).put("cs_1_2_2", "0");
      parts.awaitEverywhere("cs_1_2_2", "0");
      Bystander bystander = new Bystander(beside.store(STORE));
      bystander.awaitMore();

      held.hold(1);
      held.hold(2);
      a.store(STORE).put("cs_1_2_1", "1");
      b.store(STORE).put("cs_1_2_2", "1");
      assertThat(reader.store(STORE).get("cs_1_2_2")).isEqualTo("1");
      reader.store(STORE).put("came", "of it");

      Rollback rollback =
          await().atMost(BOUND).until(parts::ended, found -> !found.isEmpty()).get(0);
      assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
      assertThat(Objects.requireNonNull(parts.plane().orchestrator().history().progress(1)).moves())
          .isEmpty();
      assertThat(rollback.attempts()).isEqualTo(1);
      held.release(1);
      held.release(2);
      bystander.awaitMore();

      bystander.stop().forEach(parts::awaitEverywhere);
      assertThat(beside.epoch()).isEqualTo(1);
      assertThat(beside.metrics().rollbacks()).isZero();
      parts.awaitEverywhere("cs_1_2_1", "1");
      parts.awaitEverywhere("cs_1_2_2", "0");
      assertThat(parts.versions("came")).containsOnlyNulls();
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

  /** Until all nodes note who uses which keys. */
  static void awaitNotes(RealParts parts) {
    for (int node = 0; node < NODES; node++) {
      int at = node;
      await()
          .atMost(BOUND)
          .until(() -> parts.cluster().node(at).accesses(Long.MAX_VALUE).since() != Long.MAX_VALUE);
    }
  }
}

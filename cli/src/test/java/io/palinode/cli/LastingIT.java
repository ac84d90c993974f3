package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.terminal.ApiClient;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A state that is wrong only when it lasts, on the real parts. */
@Timeout(240)
class LastingIT {
  private static final String PREDICATE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: stuck-order}
      spec:
        forEach: {order: "{o}"}
        violation:
          - all:
              - {var: "order_{o}", equals: paid}
              - {var: "parcel_{o}", notEquals: sent}
            for: 2s
        onViolation:
          rollback: {to: before-violation}
      """;

  @TempDir Path folder;

  @Test
  void anOrderThatIsStuckIsRolledBackToBeforeItWas() throws IOException {
    Path file = Files.writeString(folder.resolve("stuck-order.yaml"), PREDICATE);
    try (RealParts parts = RealParts.start(folder.resolve("data"))) {
      assertThat(parts.palinode("apply", "-f", file.toString())).as(parts.err()).isZero();
      await()
          .atMost(RealParts.BOUND)
          .until(
              () ->
                  ApiClient.at(parts.plane().apiUrl())
                      .get("/api/v1/predicates/stuck-order")
                      .path("converged")
                      .asBoolean());
      long again;
      try (StoreClient client = parts.client("shop")) {
        Store store = client.store(RealParts.STORE);
        store.put("order_1", "paid");
        store.put("parcel_1", "packed");
        store.put("parcel_1", "sent");
        store.put("order_2", "paid");
        parts.awaitEverywhere("order_2", "paid");
        // The same state in another version: its run continues.
        again = store.put("order_2", "paid").acceptedAt();
        store.put("parcel_2", "packed");
      }
      await().atMost(RealParts.BOUND).until(() -> !parts.ended().isEmpty());
      assertThat(parts.ended().get(0).state()).isEqualTo(Rollback.State.RESUMED);
      List<ReceivedViolation> found = parts.plane().orchestrator().violations(100);
      assertThat(found).extracting(each -> each.violation().getBinding()).containsOnly("o=2");
      Violation violation = found.get(found.size() - 1).violation();
      assertThat(violation.getFirst()).isLessThan(again);
      assertThat(Hlc.micros(violation.getViolate())).isGreaterThan(Hlc.micros(again) + 2_000_000);
      assertThat(Hlc.micros(parts.ended().get(0).target()))
          .isLessThanOrEqualTo(Hlc.micros(violation.getViolate()) - 2_000_000);
      parts.awaitEverywhere("order_2", "paid");
      parts.awaitEverywhere("parcel_1", "sent");
      assertThat(parts.versions("parcel_2")).containsOnlyNulls();
      String id = violation.getId();
      Path witness =
          Files.writeString(
              folder.resolve("witness.json"),
              ApiClient.at(parts.plane().apiUrl())
                  .get("/api/v1/violations/" + id + "/witness")
                  .toString());
      assertThat(Main.commandLine().execute("verify", witness.toString())).isZero();
      assertThat(parts.palinode("describe", "violation", id)).isZero();
      assertThat(parts.out()).contains("meaning ").contains("had held for 2s at");
    }
  }
}

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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A state that is wrong only when it lasts, on the real parts. */
@Timeout(240)
class LastingIT {
  private static final String ORDER =
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

  private static final String TOTAL =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: settled-bank}
      spec:
        forEach: {bank: "{bank}"}
        violation:
          - sum:
              of: {var: "balance_{bank}_{account}"}
              distinct: account
              count: 2
              notEquals: 100
            for: 2s
        onViolation:
          rollback: {to: before-violation}
      """;
  private static final long TWO_SECONDS = 2_000_000;

  @TempDir static Path folder;
  private static RealParts parts;

  @BeforeAll
  static void start() {
    parts = RealParts.start(folder.resolve("data"));
  }

  @AfterAll
  static void stop() {
    parts.close();
  }

  @Test
  void anOrderThatIsStuckIsRolledBackToBeforeItWas() throws IOException {
    apply("stuck-order", ORDER);
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
    Rollback rollback = awaitRollback("stuck-order");
    List<Violation> found = found("stuck-order");
    assertThat(found).extracting(Violation::getBinding).containsOnly("o=2");
    Violation violation = found.get(found.size() - 1);
    assertThat(violation.getFirst()).isLessThan(again);
    assertThat(Hlc.micros(violation.getViolate())).isGreaterThan(Hlc.micros(again) + TWO_SECONDS);
    assertThat(Hlc.micros(rollback.target()))
        .isLessThanOrEqualTo(Hlc.micros(violation.getViolate()) - TWO_SECONDS);
    parts.awaitEverywhere("order_2", "paid");
    parts.awaitEverywhere("parcel_1", "sent");
    assertThat(parts.versions("parcel_2")).containsOnlyNulls();
    assertIsVerified(violation.getId());
    assertThat(parts.palinode("describe", "violation", violation.getId())).isZero();
    assertThat(parts.out()).contains("meaning ").contains("had held for 2s at");
  }

  @Test
  void aTotalThatStaysWrongIsRolledBackAndATransferIsNot() throws IOException {
    apply("settled-bank", TOTAL);
    long lost;
    try (StoreClient client = parts.client("bank")) {
      Store store = client.store(RealParts.STORE);
      store.put("balance_x_a", "60");
      store.put("balance_x_b", "40");
      parts.awaitEverywhere("balance_x_b", "40");
      store.put("balance_x_a", "50");
      store.put("balance_x_b", "50");
      parts.awaitEverywhere("balance_x_b", "50");
      lost = store.put("balance_x_b", "45").acceptedAt();
    }
    awaitRollback("settled-bank");
    List<Violation> found = found("settled-bank");
    assertThat(found).extracting(Violation::getBinding).containsOnly("bank=x");
    assertThat(found)
        .allSatisfy(
            each ->
                assertThat(Hlc.micros(each.getViolate()))
                    .isGreaterThanOrEqualTo(Hlc.micros(lost) + TWO_SECONDS));
    parts.awaitEverywhere("balance_x_a", "50");
    parts.awaitEverywhere("balance_x_b", "50");
    assertIsVerified(found.get(0).getId());
  }

  private static void apply(String name, String predicate) throws IOException {
    Path file = Files.writeString(folder.resolve(name + ".yaml"), predicate);
    assertThat(parts.palinode("apply", "-f", file.toString())).as(parts.err()).isZero();
    await()
        .atMost(RealParts.BOUND)
        .until(
            () ->
                ApiClient.at(parts.plane().apiUrl())
                    .get("/api/v1/predicates/" + name)
                    .path("converged")
                    .asBoolean());
  }

  private static Rollback awaitRollback(String predicate) {
    List<Rollback> ended =
        await()
            .atMost(RealParts.BOUND)
            .until(
                () ->
                    parts.ended().stream()
                        .filter(each -> each.predicate().equals(predicate))
                        .toList(),
                each -> !each.isEmpty());
    assertThat(ended).extracting(Rollback::state).containsOnly(Rollback.State.RESUMED);
    return ended.get(0);
  }

  private static List<Violation> found(String predicate) {
    return parts.plane().orchestrator().violations(100).stream()
        .map(ReceivedViolation::violation)
        .filter(each -> each.getPredicate().equals(predicate))
        .toList();
  }

  private static void assertIsVerified(String violation) throws IOException {
    Path witness =
        Files.writeString(
            folder.resolve("witness.json"),
            ApiClient.at(parts.plane().apiUrl())
                .get("/api/v1/violations/" + violation + "/witness")
                .toString());
    assertThat(Main.commandLine().execute("verify", witness.toString())).isZero();
  }
}

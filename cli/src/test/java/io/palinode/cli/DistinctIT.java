package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.terminal.ApiClient;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Clients that no predicate lists hold a lock, and accounts that none lists have a wrong total. */
@Timeout(240)
class DistinctIT {
  private static final String PREDICATE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: one-holder}
      spec:
        forEach: {lock: "{l}"}
        violation:
          - atLeast: {count: 2, of: {var: "lock_{l}_{client}", equals: held}, distinct: client}
        onViolation:
          rollback: {scope: all, to: before-violation}
      ---
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: bank}
      spec:
        forEach: {bank: "{b}"}
        violation:
          - sum: {of: {var: "balance_{b}_{account}"}, distinct: account, count: 3, notEquals: 30}
      """;

  @TempDir Path folder;

  @Test
  void twoHoldersOfOneLockAreFoundAndRolledBack() throws IOException {
    Path file = Files.writeString(folder.resolve("one-holder.yaml"), PREDICATE);
    try (RealParts parts = RealParts.start(folder.resolve("data"))) {
      assertThat(parts.palinode("apply", "-f", file.toString())).as(parts.err()).isZero();
      await()
          .atMost(RealParts.BOUND)
          .until(
              () ->
                  ApiClient.at(parts.plane().apiUrl())
                      .get("/api/v1/predicates")
                      .findValues("converged")
                      .stream()
                      .allMatch(JsonNode::asBoolean));
      try (StoreClient client = parts.client("clients")) {
        Store store = client.store(RealParts.STORE);
        // Each of these has one lock.
        for (int i = 0; i < 20; i++) {
          store.put("lock_%d_c%d".formatted(i, i), "held");
        }
        store.put("lock_a_ann", "held");
        store.put("lock_b_bob", "held");
        assertThat(parts.plane().orchestrator().violations(10)).isEmpty();
        store.put("lock_a_bob", "held");
      }
      await().atMost(RealParts.BOUND).until(() -> !parts.ended().isEmpty());
      Rollback rollback = parts.ended().get(0);
      assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
      List<ReceivedViolation> found = parts.plane().orchestrator().violations(10);
      assertThat(found).hasSize(1);
      assertThat(found.get(0).violation().getBinding()).isEqualTo("l=a");
      assertThat(found.get(0).violation().getWitnessesList())
          .extracting(Witness::getMember)
          .containsExactlyInAnyOrder("client=ann", "client=bob");
      parts.awaitEverywhere("lock_a_ann", "held");
      parts.awaitEverywhere("lock_b_bob", "held");
      assertThat(parts.versions("lock_a_bob")).containsOnlyNulls();
      String id = found.get(0).violation().getId();
      String meaning =
          ApiClient.at(parts.plane().apiUrl())
              .get("/api/v1/violations/" + id)
              .path("meaning")
              .asText();
      // With its end or without, Bob's interval decides the grade.
      assertThat(meaning).contains("term 0 (client=bob) on node ");
      Path witness =
          Files.writeString(
              folder.resolve("witness.json"),
              ApiClient.at(parts.plane().apiUrl())
                  .get("/api/v1/violations/" + id + "/witness")
                  .toString());
      StringWriter verified = new StringWriter();
      CommandLine line = Main.commandLine().setOut(new PrintWriter(verified, true));
      assertThat(line.execute("verify", witness.toString())).isZero();
      assertThat(verified.toString()).contains("term 0 (client=bob) on node ");
      assertSumIsFound(parts);
    }
  }

  /** The other bank has the same total at each time; neither is complete before its third put. */
  private void assertSumIsFound(RealParts parts) throws IOException {
    try (StoreClient client = parts.client("tellers")) {
      Store store = client.store(RealParts.STORE);
      for (String account : List.of("x", "y", "z")) {
        store.put("balance_north_" + account, "10");
        store.put("balance_south_" + account, "10");
      }
      store.put("balance_north_z", "5");
    }
    List<Violation> found =
        await()
            .atMost(RealParts.BOUND)
            .until(() -> ofBank(parts), violations -> !violations.isEmpty());
    assertThat(found).extracting(Violation::getBinding).containsExactly("b=north");
    assertThat(found.get(0).getWitnessesList())
        .extracting(witness -> witness.getMember() + " " + value(witness))
        .containsExactlyInAnyOrder("account=x 10", "account=y 10", "account=z 5");
    assertThat(parts.palinode("get", "violations", found.get(0).getId(), "-o", "json")).isZero();
    Path file = Files.writeString(folder.resolve("sum.json"), parts.out());
    assertThat(parts.run("verify", file.toString())).as(parts.err()).isZero();
    assertThat(parts.out())
        .contains("holds: bank version ")
        .contains(" with b=north, clause 0, intervals 3");
  }

  private static List<Violation> ofBank(RealParts parts) {
    return parts.plane().orchestrator().violations(10).stream()
        .map(ReceivedViolation::violation)
        .filter(violation -> violation.getPredicate().equals("bank"))
        .toList();
  }

  private static String value(Witness witness) {
    return witness.getValues(0).getValue().toStringUtf8();
  }
}

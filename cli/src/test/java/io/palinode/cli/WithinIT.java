package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.terminal.ApiClient;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What must happen in time, on the real parts. */
@Timeout(300)
class WithinIT {
  private static final Duration BOUND = Duration.ofSeconds(90);

  @TempDir Path folder;
  private final List<Process> children = new ArrayList<>();

  @AfterEach
  void endChildren() {
    children.forEach(Process::destroyForcibly);
  }

  private Path predicate(String onViolation) throws IOException {
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: unanswered-order}
        spec:
          forEach: {order: "{o}"}
          violation:
            - within:
                time: 2s
                after: {var: "order_{o}", equals: paid}
                missing: {var: "parcel_{o}", equals: sent}
          onViolation: %s
        """
            .formatted(onViolation);
    return Files.writeString(folder.resolve("unanswered-order.yaml"), yaml);
  }

  @Test
  void anOrderWithoutAnAnswerIsRolledBackToBeforeItWasPaid() throws IOException {
    Path file = predicate("{rollback: {to: before-first-witness}}");
    try (RealParts parts = RealParts.start(folder.resolve("data"))) {
      ApiClient api = ApiClient.at(parts.plane().apiUrl());
      assertThat(parts.palinode("apply", "-f", file.toString())).as(parts.err()).isZero();
      awaitInForce(api);
      long paid;
      try (StoreClient client = parts.client("shop")) {
        Store store = client.store(RealParts.STORE);
        store.put("order_1", "paid");
        store.put("parcel_1", "sent");
        paid = store.put("order_2", "paid").acceptedAt();
        store.put("parcel_2", "packed");
      }
      await().atMost(BOUND).until(() -> !parts.ended().isEmpty());
      Rollback rollback = parts.ended().get(0);
      assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
      List<ReceivedViolation> found = parts.plane().orchestrator().violations(100);
      assertThat(found).extracting(each -> each.violation().getBinding()).containsExactly("o=2");
      Violation violation = found.get(0).violation();
      assertThat(violation.getFirst()).isEqualTo(paid);
      assertThat(violation.getViolate()).isEqualTo(paid + Hlc.ofMicros(2_010_000));
      assertThat(violation.getEnded()).as("it has no end").isZero();
      assertThat(rollback.target()).isEqualTo(paid - 1);
      parts.awaitEverywhere("parcel_1", "sent");
      assertThat(parts.versions("order_2")).containsOnlyNulls();
      Path witness =
          Files.writeString(
              folder.resolve("witness.json"),
              api.get("/api/v1/violations/" + violation.getId() + "/witness").toString());
      assertThat(parts.run("verify", witness.toString())).as(parts.err()).isZero();
      assertThat(parts.palinode("describe", "violation", violation.getId())).isZero();
      assertThat(parts.out().replaceAll("\\s+", " "))
          .contains("term 1 held on no node within 2s after that");
    }
  }

  /** All nodes, the job and the orchestrator end at once; the job continues at its checkpoint. */
  @Test
  @Tag("slow")
  void aKillWhileAnAnswerIsDueIsACoverageGapAndLaterTriggersAreJudged() throws Exception {
    Path file = predicate("{alert: [console]}");
    Files.writeString(folder.resolve("stores.xml"), UpIT.STORES);
    int base = UpProcess.freeBase();
    String url = "http://127.0.0.1:" + (base + UpCommand.API_OFFSET);
    ApiClient api = ApiClient.at(url);
    Process first = start(base);
    assertThat(Main.commandLine().execute("apply", "-f", file.toString(), "--server", url))
        .isZero();
    awaitInForce(api);
    put(base, "order_1", "paid");
    put(base, "order_2", "paid");
    put(base, "parcel_2", "sent");
    first.destroyForcibly();
    assertThat(first.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();

    start(base);
    awaitJudged(api);
    put(base, "order_3", "paid");
    put(base, "parcel_3", "sent");
    put(base, "order_4", "paid");
    await("the job is not silent for ever")
        .atMost(BOUND)
        .until(() -> bindings(api), found -> found.contains("o=4"));
    assertThat(bindings(api)).as("order 1: its answer may be lost").containsOnly("o=4");
    assertThat(api.get("/api/v1/status").path("coverageLosses").asInt()).isPositive();
  }

  private static List<String> bindings(ApiClient api) {
    JsonNode violations = api.get("/api/v1/violations");
    List<String> bindings = new ArrayList<>();
    (violations.isArray() ? violations : violations.path("violations"))
        .forEach(each -> bindings.add(each.path("binding").asText()));
    return bindings;
  }

  /** All nodes watch it, and have published so. */
  private static void awaitInForce(ApiClient api) {
    await()
        .atMost(BOUND)
        .until(() -> api.get("/api/v1/predicates/unanswered-order").path("converged").asBoolean());
    awaitJudged(api);
  }

  private static void awaitJudged(ApiClient api) {
    long now = Hlc.ofMicros(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    await()
        .atMost(BOUND)
        .ignoreExceptions()
        .until(() -> Hlc.parse(api.get("/api/v1/status").path("judged").asText()) >= now);
  }

  private static void put(int base, String key, String value) {
    try (StoreClient client =
        StoreClient.connect(ClientConfig.of(List.of("127.0.0.1:" + base), "shop"))) {
      client.store("kept").put(key, value);
    }
  }

  private Process start(int base) throws IOException {
    Process up = UpProcess.start(folder, base, List.of("--nodes", "3"));
    children.add(up);
    return up;
  }
}

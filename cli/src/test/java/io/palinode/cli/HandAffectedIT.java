package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rollbacks of scope {@code affected} by hand, by the command line on the real parts: what a plan
 * has notified restarts, while another client continues to write and receives no notice.
 */
@Timeout(240)
class HandAffectedIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** It is only reported. */
  private static final String MUTEX =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: mutex}
      spec:
        violation:
          - all:
              - {var: cs_1, equals: "1"}
              - {var: cs_2, equals: "1"}
      """;

  /** Never violated: it has nodes note who uses which keys. */
  private static final String NOTED =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: noted}
      spec:
        violation:
          - all:
              - {var: never_1, equals: "1"}
              - {var: never_2, equals: "1"}
        onViolation:
          rollback: {scope: affected}
      """;

  @TempDir private Path folder;

  @Test
  void anAffectedClientRestartsAndAnotherContinues() throws Exception {
    HeldLinks held = new HeldLinks();
    try (RealParts parts = RealParts.start(folder);
        StoreClient a = parts.client("a", 0, held);
        StoreClient b = parts.client("b", 1, new HeldLinks());
        StoreClient reader = parts.client("d", 1, new HeldLinks());
        StoreClient beside = parts.client("c", 2, new HeldLinks())) {
      parts.plane().apply(Predicates.parse(MUTEX, "mutex.yaml"));
      parts.plane().apply(Predicates.parse(NOTED, "noted.yaml"));
      AffectedIT.awaitNotes(parts);
      b.store(STORE).put("cs_2", "0");
      parts.awaitEverywhere("cs_2", "0");
      Bystander bystander = new Bystander(beside.store(STORE));
      bystander.awaitMore();

      held.hold(1);
      held.hold(2);
      a.store(STORE).put("cs_1", "1");
      b.store(STORE).put("cs_2", "1");
      assertThat(reader.store(STORE).get("cs_2")).isEqualTo("1");
      reader.store(STORE).put("came", "of it");
      held.release(1);
      held.release(2);
      bystander.awaitMore();
      String violation =
          await()
              .atMost(BOUND)
              .until(() -> parts.plane().orchestrator().violations(1), found -> !found.isEmpty())
              .get(0)
              .violation()
              .getId();

      String plan = planned(parts, violation);
      reader.store(STORE).put("more", "of it");
      bystander.awaitMore();
      assertThat(parts.versions("cs_2")).as("a plan changes nothing").containsOnly("1");
      assertThat(parts.palinode("rollback", "run", plan, "--yes")).as(parts.err()).isZero();
      assertThat(parts.out())
          .contains("keys that change  3 (2 when it was planned)")
          // And who has just read what every node has.
          .contains("rollback 1 is done: keys restored: 3, clients concerned: 3");

      parts.awaitEverywhere("cs_1", "1");
      parts.awaitEverywhere("cs_2", "0");
      assertThat(parts.versions("came")).containsOnlyNulls();
      assertThat(parts.versions("more")).containsOnlyNulls();
      assertThatThrownBy(() -> b.store(STORE).put("x", "1"))
          .isInstanceOf(RolledBackException.class);
      bystander.awaitMore();
      assertThat(parts.palinode("rollback", "run", plan, "--yes")).isEqualTo(2);
      assertThat(parts.err()).contains("was run already, as rollback 1");
      assertThat(parts.plane().orchestrator().rollbacks(10)).as("it is done once").hasSize(1);
      String beforeTheKey = aKeyNamesAWriteToo(parts, bystander);
      withoutNotesOnlyAllCanBeUndoneAndThePlanSaysSo(parts, bystander, violation);

      bystander.stop().forEach(parts::awaitEverywhere);
      assertThat(beside.metrics().rollbacks()).isZero();
      whatItLetStandWouldBeLostByALaterOne(parts, beforeTheKey);
    }
  }

  /** Its name. */
  private static String planned(RealParts parts, String violation) throws IOException {
    assertThat(plan(parts, "--violation", violation)).as(parts.err()).isZero();
    JsonNode effect = JSON.readTree(parts.out());
    assertThat(effect.path("scope").asText()).as(parts.out()).isEqualTo("affected");
    assertThat(effect.path("firstWrites").asInt()).isEqualTo(1);
    assertThat(effect.path("keys").asLong()).isEqualTo(2);
    assertThat(effect.path("writes").asLong()).isEqualTo(2);
    assertThat(effect.path("clients").toString()).isEqualTo("[\"b\",\"d\"]");
    assertThat(effect.path("bytes").asLong()).isPositive();
    assertThat(effect.path("expectedPauseMs").asDouble()).isPositive();
    return effect.path("plan").asText();
  }

  /** Returns the time before the key. */
  private static String aKeyNamesAWriteToo(RealParts parts, Bystander bystander)
      throws IOException {
    try (StoreClient e = parts.client("e", 1, new HeldLinks())) {
      long before = Objects.requireNonNull(e.store(STORE).put("before", "1")).acceptedAt();
      String time = Hlc.format(before);
      e.store(STORE).put("y", "wrong");
      bystander.awaitMore();
      assertThat(plan(parts, "--to", time)).isEqualTo(2);
      assertThat(parts.err()).contains("a time names no write: name a violation instead");
      assertThat(plan(parts, "--to", time, "--key", "nobodys")).isEqualTo(2);
      assertThat(parts.err()).contains("no client wrote key 'nobodys' after the target");
      assertThat(
              parts.palinode(
                  "rollback", "run", "--to", time, "--scope", "affected", "--key", "y", "--yes"))
          .as(parts.err())
          .isZero();
      assertThat(parts.out()).contains("keys restored: 1, clients concerned: 1");
      assertThat(parts.versions("y")).containsOnlyNulls();
      parts.awaitEverywhere("before", "1");
      return time;
    }
  }

  /** Rollback 2 went to that time, and undid one write. */
  private static void whatItLetStandWouldBeLostByALaterOne(RealParts parts, String time)
      throws IOException {
    long end =
        Objects.requireNonNull(parts.plane().orchestrator().history().discarded(2)).settled();
    long since = writesAfter(parts, Hlc.format(end));
    assertThat(writesAfter(parts, time)).isGreaterThan(since + 1);

    assertThat(parts.palinode("rollback", "run", "--to", time, "--yes")).as(parts.err()).isZero();
    String node = parts.cluster().addresses().get(0);
    assertThat(parts.palinode("rollback", "lost", "3", "-o", "json", "--bootstrap", node))
        .as(parts.err())
        .isZero();
    JsonNode lost = JSON.readTree(parts.out());
    assertThat(lost)
        .as("rollback 2 had discarded it")
        .noneMatch(write -> write.path("key").asText().equals("y"))
        .as("rollback 2 had let it stand")
        .anyMatch(
            write ->
                write.path("key").asText().startsWith("own")
                    && Hlc.parse(write.path("at").asText()) < end);
  }

  private static long writesAfter(RealParts parts, String time) throws IOException {
    assertThat(parts.palinode("rollback", "plan", "--to", time, "-o", "json"))
        .as(parts.err())
        .isZero();
    return JSON.readTree(parts.out()).path("writes").asLong();
  }

  private static void withoutNotesOnlyAllCanBeUndoneAndThePlanSaysSo(
      RealParts parts, Bystander bystander, String violation) throws IOException {
    assertThat(plan(parts, "--violation", violation)).as(parts.err()).isZero();
    assertThat(JSON.readTree(parts.out()).path("whyAll").asText())
        .isEqualTo("the target is before the epoch began");
    try (StoreClient f = parts.client("f", 1, new HeldLinks())) {
      String time = Hlc.format(f.store(STORE).put("z", "1").acceptedAt());
      f.store(STORE).put("z", "2");
      bystander.awaitMore();
      assertThat(plan(parts, "--to", time, "--key", "z")).as(parts.err()).isZero();
      String plan = JSON.readTree(parts.out()).path("plan").asText();
      assertThat(parts.palinode("delete", "noted")).as(parts.err()).isZero();
      await()
          .atMost(BOUND)
          .until(() -> parts.cluster().node(0).accesses(Long.MAX_VALUE).since() == Long.MAX_VALUE);
      assertThat(parts.palinode("rollback", "run", plan, "--yes")).isEqualTo(2);
      assertThat(parts.err())
          .contains(
              "all writes after %s would be undone now"
                  .formatted(PointInTime.format(Hlc.parse(time))));
      assertThat(plan(parts, "--to", time, "--key", "z")).as(parts.err()).isZero();
      JsonNode all = JSON.readTree(parts.out());
      assertThat(all.path("scope").asText()).isEqualTo("all");
      assertThat(all.path("whyAll").asText()).contains("has no access log");
      assertThat(parts.versions("z")).containsOnly("2");
    }
  }

  private static int plan(RealParts parts, String... args) {
    List<String> all = new java.util.ArrayList<>(List.of("rollback", "plan"));
    all.addAll(List.of(args));
    all.addAll(List.of("--scope", "affected", "-o", "json"));
    return parts.palinode(all.toArray(String[]::new));
  }
}

package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessFormatException;
import io.palinode.detection.witness.WitnessJson;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.hvc.Hlc;
import io.palinode.launcher.ControlPlane;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.wire.v1.Violation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole way, without chance: the links from one client to two replicas are held, so that two
 * neighbours are in their critical sections at once; then the store must be, on every node, what it
 * was right before.
 */
class ForcedViolationIT {
  private static final List<String> KEYS =
      List.of("color_1", "color_2", "cs_1_2_1", "cs_1_2_2", "other", "late");

  @TempDir private Path folder;

  /** Every write that was acknowledged: the full history, by the test's own book. */
  private final List<Entry> history = new ArrayList<>();

  private record Entry(String key, String value, long acceptedAt) {}

  @Test
  void aForcedViolationIsTakenBackToTheCutBeforeItOnEveryNode() {
    HeldLinks held = new HeldLinks();
    try (RealParts parts = RealParts.start(folder);
        StoreClient a = parts.client("a", 0, held);
        StoreClient b = parts.client("b", 1, new HeldLinks())) {
      ControlPlane plane = parts.plane();
      plane.apply(Predicates.parse(Rule.EDGE_MUTEX.yaml(), "edge-mutex.yaml"));
      Store storeA = a.store(STORE);
      Store storeB = b.store(STORE);
      put(storeA, "color_1", "3");
      put(storeB, "color_2", "4");
      put(storeB, "cs_1_2_2", "0");
      parts.awaitEverywhere("cs_1_2_2", "0");

      held.hold(1);
      held.hold(2);
      put(storeA, "other", "still under way at T");
      put(storeA, "cs_1_2_1", "1");
      assertThat(parts.versions("cs_1_2_1")).containsExactly("1", null, null);
      put(storeB, "cs_1_2_2", "1");
      put(storeB, "late", "after the violation");

      Rollback rollback =
          await().atMost(BOUND).until(parts::ended, found -> !found.isEmpty()).get(0);
      assertThat(rollback.state()).isEqualTo(Rollback.State.RESUMED);
      assertThat(rollback.predicate()).isEqualTo("edge-mutex");

      Map<String, String> expected = replayedTo(rollback.target());
      assertThat(expected)
          .as("the cut keeps what came before, and the copies that were under way")
          .containsEntry("cs_1_2_1", "1")
          .containsEntry("other", "still under way at T")
          .containsEntry("cs_1_2_2", "0")
          .doesNotContainKey("late");
      for (String key : KEYS) {
        assertThat(parts.versions(key))
            .as(key)
            .allMatch(value -> Objects.equals(value, expected.get(key)));
      }

      assertThatThrownBy(() -> storeB.put("late", "again"))
          .isInstanceOfSatisfying(
              RolledBackException.class,
              e -> assertThat(e.rolledBack().target()).isEqualTo(rollback.target()));
      held.release(1);
      held.release(2);
      assertThatThrownBy(() -> storeA.put("late", "again")).isInstanceOf(RolledBackException.class);
      put(storeB, "late", "in the new epoch");
      parts.awaitEverywhere("late", "in the new epoch");
      assertThat(parts.versions("cs_1_2_2")).as("what was undone stays undone").containsOnly("0");
      assertThat(plane.orchestrator().rollbacks(10)).as("and is not reported again").hasSize(1);
      plane.orchestrator().violations(10).forEach(found -> assertChecks(plane, found));
      assertDescribed(parts);
      assertRecorded(parts);
      assertThat(metrics(plane))
          .containsPattern(counted("palinode_job_violations_total", "edge-mutex"))
          .containsPattern(counted("palinode_job_candidates_total", "edge-mutex"));
    }
  }

  private static String metrics(ControlPlane plane) {
    try {
      return HttpClient.newHttpClient()
          .send(
              HttpRequest.newBuilder(URI.create(plane.apiUrl() + "/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A line of the metric, of a predicate, that is not 0. */
  private static String counted(String metric, String predicate) {
    return metric + "\\{[^}]*predicate=\"" + predicate + "\"[^}]*} [1-9]";
  }

  /** What is written of a violation can be checked with nothing else at hand. */
  private static void assertChecks(ControlPlane plane, ReceivedViolation found) {
    try {
      PortableWitness witness = plane.orchestrator().witness(found.violation().getId());
      String file = WitnessJson.write(Objects.requireNonNull(witness));
      assertThat(WitnessCheck.check(WitnessJson.read(file, "witness"))).as(file).isEmpty();
    } catch (RefusedException | WitnessFormatException e) {
      throw new AssertionError(e);
    }
  }

  /** One screen has the values of both keys right before the violation and at it. */
  private static void assertDescribed(RealParts parts) {
    String id = parts.plane().orchestrator().violations(1).get(0).violation().getId();
    String node = parts.cluster().addresses().get(0);
    assertThat(parts.palinode("describe", "violation", id, "--bootstrap", node))
        .as(parts.err())
        .isZero();
    assertThat(parts.out())
        .contains("rollback    1: resumed, target ")
        .containsPattern("0 +" + STORE + " +cs_1_2_1 +\\(none\\) +1\\s")
        .containsPattern("1 +" + STORE + " +cs_1_2_2 +0 +1\\s");
  }

  /** The trace of the incident, judged without the cluster, has the cluster's violation. */
  private void assertRecorded(RealParts parts) {
    Path predicate = folder.resolve("edge-mutex.yaml");
    Path trace = folder.resolve("trace.jsonl");
    try {
      Files.writeString(predicate, Rule.EDGE_MUTEX.yaml());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(record(parts, trace, 1)).as("more intervals than it may have").isEqualTo(2);
    assertThat(parts.err()).contains("--intervals-max");
    assertThat(trace).as("what was read until then").content().hasLineCount(1);
    assertThat(record(parts, trace, 1_000)).as(parts.err()).isZero();
    assertThat(parts.run("detect", "--predicate", predicate.toString(), trace.toString()))
        .as(parts.err())
        .isEqualTo(1);
    Set<List<String>> offline = new HashSet<>();
    parts.out().lines().forEach(line -> offline.add(verdict(line)));
    Set<List<String>> online = new HashSet<>();
    for (ReceivedViolation found : parts.plane().orchestrator().violations(10)) {
      Violation violation = found.violation();
      online.add(
          List.of(
              violation.getBinding(),
              found.grade().name().toLowerCase(Locale.ROOT),
              Hlc.format(violation.getFirst()),
              Hlc.format(violation.getViolate())));
    }
    assertThat(offline).as(parts.out()).isNotEmpty().isEqualTo(online);
  }

  private static int record(RealParts parts, Path trace, int intervalsMax) {
    return parts.run(
        "record",
        "--kafka",
        parts.plane().kafkaAddress(),
        "--predicate",
        "edge-mutex",
        "--intervals-max",
        Integer.toString(intervalsMax),
        "-o",
        trace.toString());
  }

  private static List<String> verdict(String line) {
    try {
      JsonNode violation = new ObjectMapper().readTree(line);
      return Stream.of("binding", "grade", "first", "violate")
          .map(field -> violation.path(field).asText())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void put(Store store, String key, String value) {
    history.add(new Entry(key, value, store.put(key, value).acceptedAt()));
  }

  /** Each key has one writer here, so its last write at or before T is its value at T. */
  private Map<String, String> replayedTo(long target) {
    Map<String, String> state = new TreeMap<>();
    history.stream()
        .filter(entry -> entry.acceptedAt() <= target)
        .forEach(entry -> state.put(entry.key(), entry.value()));
    return state;
  }
}

package io.palinode.demo.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.LatencySnapshot;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Refusal;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * An orchestrator elsewhere, used through its API. Closing deletes the predicates that this
 * applied. The API reports the keys that are sequential now, not those that were.
 */
public final class RemoteWatcher implements Watcher, AutoCloseable {
  private static final String LIMIT = "?limit=10000";
  private static final String PREDICATES = "/api/v1/predicates";
  private static final Duration CONVERGED_MAX = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 100;
  private static final int HISTOGRAM_DIGITS = 3;
  private static final double MICROS_PER_MS = 1_000;

  private final ApiClient api;
  private final List<String> applied = new ArrayList<>();
  private volatile long sinceHlc;

  private RemoteWatcher(ApiClient api) {
    this.api = api;
  }

  /**
   * Has {@code predicates} watched, and returns when all nodes and the job do. Throws {@link
   * Refusal} when one of that name is watched already, and when somebody does not join in.
   */
  public static RemoteWatcher watch(ApiClient api, List<Predicate> predicates)
      throws InterruptedException {
    RemoteWatcher watcher = new RemoteWatcher(api);
    requireUnused(api, predicates);
    try {
      for (Predicate predicate : predicates) {
        var unused = api.put(path(predicate.name()), Predicates.toYaml(predicate));
        watcher.applied.add(predicate.name());
      }
      for (Predicate predicate : predicates) {
        watcher.awaitConverged(predicate.name());
      }
      return watcher;
    } catch (RuntimeException | InterruptedException e) {
      watcher.close();
      throw e;
    }
  }

  private static void requireUnused(ApiClient api, List<Predicate> predicates) {
    Set<String> known = new HashSet<>();
    api.get(PREDICATES).forEach(predicate -> known.add(predicate.path("name").asText()));
    for (Predicate predicate : predicates) {
      if (known.contains(predicate.name())) {
        throw new Refusal(
            "the predicate '%s' is applied there already: 'palinode delete %s', unless somebody needs it"
                .formatted(predicate.name(), predicate.name()));
      }
    }
  }

  private void awaitConverged(String name) throws InterruptedException {
    long deadline = System.nanoTime() + CONVERGED_MAX.toNanos();
    JsonNode state = api.get(path(name));
    while (!state.path("converged").asBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new Refusal(
            "the predicate '%s' is not watched by all after %d s: nodes that look for it %s, the detection job %s"
                .formatted(
                    name,
                    CONVERGED_MAX.toSeconds(),
                    state.path("nodeVersions"),
                    state.path("jobVersion").isNull() ? "does not answer" : "judges by it"));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      state = api.get(path(name));
    }
  }

  @Override
  public void beginRun() {
    sinceHlc = Hlc.ofMicros(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
  }

  @Override
  public long judged() {
    return Hlc.parse(status().path("judged").asText());
  }

  @Override
  public List<Violation> violations() {
    List<Violation> violations = new ArrayList<>();
    api.get("/api/v1/violations" + LIMIT).forEach(json -> violations.add(violation(json)));
    return violations;
  }

  static Violation violation(JsonNode json) {
    Violation.Builder violation =
        Violation.newBuilder()
            .setId(json.path("id").asText())
            .setPredicate(json.path("predicate").asText())
            .setBinding(json.path("binding").asText())
            .setEpoch(json.path("epoch").asLong())
            .setGrade(ViolationGrade.valueOf(json.path("grade").asText().toUpperCase(Locale.ROOT)))
            .setFirst(Hlc.parse(json.path("first").asText()))
            .setViolate(Hlc.parse(json.path("violate").asText()));
    json.path("witnesses").forEach(witness -> violation.addWitnesses(witness(witness)));
    return violation.build();
  }

  private static Witness witness(JsonNode json) {
    JsonNode start = json.path("start");
    long[] entries = new long[start.size()];
    for (int node = 0; node < entries.length; node++) {
      entries[node] = Hlc.parse(start.get(node).asText());
    }
    int node = json.path("node").asInt();
    Witness.Builder witness =
        Witness.newBuilder().setNode(node).setStart(CandidateRecords.encode(Hvc.of(node, entries)));
    json.path("values")
        .forEach(
            value ->
                witness.addValues(
                    VariableVersion.newBuilder()
                        .setKey(ByteString.copyFromUtf8(value.path("key").asText()))
                        .setValue(ByteString.copyFromUtf8(value.path("value").asText()))));
    return witness.build();
  }

  @Override
  public List<EndedRollback> rollbacks() {
    List<EndedRollback> ended = new ArrayList<>();
    for (JsonNode rollback : api.get("/api/v1/rollbacks" + LIMIT)) {
      if (rollback.path("endedMicros").isNumber()) {
        ended.add(
            new EndedRollback(
                rollback.path("openedMicros").asLong(), rollback.path("endedMicros").asLong()));
      }
    }
    return ended;
  }

  @Override
  public LatencySnapshot latency() {
    Histogram micros = new Histogram(HISTOGRAM_DIGITS);
    for (JsonNode json : api.get("/api/v1/violations" + LIMIT)) {
      Grade grade = Grade.valueOf(json.path("grade").asText().toUpperCase(Locale.ROOT));
      if (grade.atLeast(Grade.POSSIBLE)
          && Hlc.parse(json.path("violate").asText()) >= sinceHlc
          && json.path("latencyMs").isNumber()) {
        micros.recordValue(Math.round(json.path("latencyMs").asDouble() * MICROS_PER_MS));
      }
    }
    return new LatencySnapshot(
        micros.getTotalCount(),
        micros.getValueAtPercentile(50) / MICROS_PER_MS,
        micros.getValueAtPercentile(99) / MICROS_PER_MS,
        micros.getValueAtPercentile(99.9) / MICROS_PER_MS,
        micros.getMaxValue() / MICROS_PER_MS);
  }

  @Override
  public List<SequentialSpan> sequentialSpans() {
    return List.of();
  }

  @Override
  public String sequentialNow() {
    JsonNode now = status().path("sequential");
    if (!now.path("untilMicros").isNumber()) {
      return "";
    }
    return now.path("allKeys").asBoolean()
        ? ", all keys R+W>N"
        : ", %s keys R+W>N".formatted(now.path("keys").asText());
  }

  @Override
  public @Nullable FirstAcceptances acceptances() {
    return null;
  }

  private JsonNode status() {
    return api.get("/api/v1/status");
  }

  private static String path(String name) {
    return PREDICATES + "/" + ApiClient.segment(name);
  }

  /** An orchestrator that is gone has nothing to forget. */
  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    for (String name : applied) {
      try {
        var unused = api.delete(path(name));
      } catch (Refusal gone) {
        // After its restart the predicate is visible and can be deleted.
      }
    }
    applied.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

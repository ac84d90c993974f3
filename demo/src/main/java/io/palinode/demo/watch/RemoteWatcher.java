package io.palinode.demo.watch;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.LatencySnapshot;
import io.palinode.orchestrator.rest.Views.RollbackView;
import io.palinode.orchestrator.rest.Views.SequentialView;
import io.palinode.orchestrator.rest.Views.StatusView;
import io.palinode.orchestrator.rest.Views.ValueView;
import io.palinode.orchestrator.rest.Views.ViolationView;
import io.palinode.orchestrator.rest.Views.WitnessView;
import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Outage;
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
import java.util.stream.Stream;
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
  private final List<Predicate> predicates;
  private final List<String> applied = new ArrayList<>();
  private volatile long sinceHlc;

  private RemoteWatcher(ApiClient api, List<Predicate> predicates) {
    this.api = api;
    this.predicates = List.copyOf(predicates);
  }

  /**
   * Has {@code predicates} watched, and returns when all nodes and the job do. Throws {@link
   * Refusal} when one of that name is watched already, and when somebody does not join in.
   */
  public static RemoteWatcher watch(ApiClient api, List<Predicate> predicates)
      throws InterruptedException {
    RemoteWatcher watcher = new RemoteWatcher(api, predicates);
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
    for (PredicateView predicate : api.get(PREDICATES, PredicateView[].class)) {
      known.add(predicate.name());
    }
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
    PredicateView state = api.get(path(name), PredicateView.class);
    while (!state.converged()) {
      if (System.nanoTime() - deadline > 0) {
        throw new Refusal(
            "the predicate '%s' is not watched by all after %d s: nodes that look for it %s, the detection job %s"
                .formatted(
                    name,
                    CONVERGED_MAX.toSeconds(),
                    ApiClient.JSON.valueToTree(state.nodeVersions()),
                    state.jobVersion() == null ? "does not answer" : "judges by it"));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      state = api.get(path(name), PredicateView.class);
    }
  }

  @Override
  public List<Predicate> predicates() {
    return predicates;
  }

  @Override
  public void beginRun() {
    sinceHlc = Hlc.ofMicros(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
  }

  @Override
  public long judged() {
    return Hlc.parse(status().judged());
  }

  @Override
  public List<Violation> violations() {
    return Stream.of(reported()).map(RemoteWatcher::violation).toList();
  }

  private ViolationView[] reported() {
    return api.get("/api/v1/violations" + LIMIT, ViolationView[].class);
  }

  private static Violation violation(ViolationView view) {
    return Violation.newBuilder()
        .setId(view.id())
        .setPredicate(view.predicate())
        .setBinding(view.binding())
        .setEpoch(view.epoch())
        .setGrade(ViolationGrade.valueOf(view.grade().toUpperCase(Locale.ROOT)))
        .setFirst(Hlc.parse(view.first()))
        .setViolate(Hlc.parse(view.violate()))
        .addAllWitnesses(view.witnesses().stream().map(RemoteWatcher::witness).toList())
        .build();
  }

  private static Witness witness(WitnessView view) {
    long[] entries = view.start().stream().mapToLong(Hlc::parse).toArray();
    Witness.Builder witness =
        Witness.newBuilder()
            .setNode(view.node())
            .setStart(CandidateRecords.encode(Hvc.of(view.node(), entries)));
    for (ValueView value : view.values()) {
      witness.addValues(
          VariableVersion.newBuilder()
              .setKey(ByteString.copyFromUtf8(value.key()))
              .setValue(ByteString.copyFromUtf8(value.value())));
    }
    return witness.build();
  }

  @Override
  public List<EndedRollback> rollbacks() {
    List<EndedRollback> ended = new ArrayList<>();
    for (RollbackView rollback : api.get("/api/v1/rollbacks" + LIMIT, RollbackView[].class)) {
      if (rollback.endedMicros() != null) {
        ended.add(new EndedRollback(rollback.openedMicros(), rollback.endedMicros()));
      }
    }
    return ended;
  }

  @Override
  public LatencySnapshot latency() {
    Histogram micros = new Histogram(HISTOGRAM_DIGITS);
    for (ViolationView violation : reported()) {
      Grade grade = Grade.valueOf(violation.grade().toUpperCase(Locale.ROOT));
      if (grade.atLeast(Grade.POSSIBLE)
          && Hlc.parse(violation.violate()) >= sinceHlc
          && violation.latencyMs() != null) {
        micros.recordValue(Math.round(violation.latencyMs() * MICROS_PER_MS));
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
    SequentialView now = status().sequential();
    if (now.untilMicros() == null) {
      return "";
    }
    return now.allKeys() ? ", all keys R+W>N" : ", %d keys R+W>N".formatted(now.keys());
  }

  @Override
  public @Nullable FirstAcceptances acceptances() {
    return null;
  }

  private StatusView status() {
    return api.get("/api/v1/status", StatusView.class);
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
      } catch (Refusal | Outage gone) {
        // After its restart the predicate is visible and can be deleted.
      }
    }
    applied.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

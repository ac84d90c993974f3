package io.palinode.demo;

import io.palinode.demo.report.AntiStallChange;
import io.palinode.demo.report.CpuUse;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import io.palinode.demo.watch.FirstAcceptances;
import io.palinode.demo.watch.Reports;
import io.palinode.demo.watch.RuleResult;
import io.palinode.demo.watch.Watcher;
import io.palinode.demo.watch.Watcher.EndedRollback;
import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.run.RunResult;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.LatencySnapshot;
import io.palinode.predicate.ReplicaRule;
import io.palinode.voldemort.server.SystemMicros;
import io.palinode.wire.v1.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What the orchestrator saw from a moment on, held against what the clients' own log says. Reports
 * of grade {@code uncertain} are hand-overs within ε: counted apart, since they neither alert nor
 * roll back.
 */
final class Observation {
  private static final double MICROS_PER_MS = 1_000.0;
  private static final int HISTOGRAM_DIGITS = 3;

  private static final Duration JUDGED_WAIT_MAX = Duration.ofSeconds(10);
  private static final long JUDGED_POLL_MILLIS = 10;

  private final @Nullable Watcher watcher;
  private final Epsilon epsilon;
  private final long sinceMicros;

  private Observation(@Nullable Watcher watcher, Epsilon epsilon) {
    this.watcher = watcher;
    this.epsilon = epsilon;
    this.sinceMicros = nowMicros();
  }

  /** From now on; {@code watcher} is null when the run is not watched. */
  static Observation begin(@Nullable Watcher watcher, Epsilon epsilon) {
    if (watcher != null) {
      watcher.beginRun();
    }
    return new Observation(watcher, epsilon);
  }

  long sinceMicros() {
    return sinceMicros;
  }

  /** Waits, some seconds at most, until all of the run is judged. */
  ModeResult result(Mode mode, String settings, RunResult run, CpuUse cpu, ColouringCheck check)
      throws InterruptedException {
    awaitJudgement();
    Truth truth = Truth.of(run.logs());
    List<Reports> byRule = byRule(truth);
    Reports acting = byRule.isEmpty() ? null : byRule.get(0).atLeast(Grade.POSSIBLE);
    List<EndedRollback> rollbacks = rollbacks();
    return new ModeResult(
        mode.label(),
        settings,
        new ModeResult.Work(
            run.elapsed().toNanos() / 1e9, run.done().operations(), run.done().tasks(), cpu),
        new ModeResult.Detected(
            acting == null ? 0 : acting.count(),
            acting == null ? 0 : byRule.get(0).count() - acting.count(),
            latency(),
            new ModeResult.Accuracy(
                Reports.happened(truth),
                Reports.possible(truth),
                acting == null ? null : acting.precision(),
                acting == null ? null : acting.recall()),
            results(byRule)),
        new ModeResult.RolledBack(
            rollbacks.size(),
            rollbackTime(rollbacks),
            run.done().wasted(),
            antiStall(rollbacks, sinceMicros + run.elapsed().toNanos() / 1_000)),
        new ModeResult.Answer(check.isRight(), check.improper().size()));
  }

  /** A grade may rise for as long as clocks may differ after what came last. */
  private void awaitJudgement() throws InterruptedException {
    if (watcher == null) {
      return;
    }
    long slack = epsilon.isInfinite() ? 0 : epsilon.micros();
    long end = Hlc.ofMicros(nowMicros() + slack);
    long deadline = System.nanoTime() + JUDGED_WAIT_MAX.toNanos();
    while (watcher.judged() < end && System.nanoTime() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(JUDGED_POLL_MILLIS);
    }
  }

  /** A list for each rule that judged; the one that acts first. */
  private List<Reports> byRule(Truth truth) throws InterruptedException {
    if (watcher == null) {
      return List.of();
    }
    Map<String, ReplicaRule> rules = new HashMap<>();
    watcher.predicates().forEach(predicate -> rules.put(predicate.name(), predicate.replicas()));
    Map<ReplicaRule, List<Violation>> violations = new EnumMap<>(ReplicaRule.class);
    rules.values().forEach(rule -> violations.put(rule, new ArrayList<>()));
    for (Violation violation : violations()) {
      ReplicaRule rule = rules.get(violation.getPredicate());
      if (rule != null) {
        violations.computeIfAbsent(rule, r -> new ArrayList<>()).add(violation);
      }
    }
    FirstAcceptances known = rules.containsValue(ReplicaRule.ANY) ? watcher.acceptances() : null;
    FirstAcceptances acceptances = known == null ? new FirstAcceptances() : known;
    return violations.entrySet().stream()
        .map(of -> Reports.of(of.getKey(), of.getValue(), acceptances, truth))
        .toList();
  }

  private static List<RuleResult> results(List<Reports> byRule) {
    Reports first =
        byRule.stream().filter(r -> r.rule() == ReplicaRule.FIRST).findAny().orElse(null);
    return byRule.stream()
        .map(
            reports ->
                reports.result(
                    first == null || reports == first ? null : reports.phantomsBeside(first)))
        .toList();
  }

  /** Those that began in the run: what is left of the warm-up is not in the clients' log. */
  private List<Violation> violations() {
    if (watcher == null) {
      return List.of();
    }
    return watcher.violations().stream()
        .filter(violation -> Hlc.micros(violation.getFirst()) >= sinceMicros)
        .toList();
  }

  private List<EndedRollback> rollbacks() {
    if (watcher == null) {
      return List.of();
    }
    return watcher.rollbacks().stream()
        .filter(rollback -> rollback.openedMicros() >= sinceMicros)
        .toList();
  }

  private List<AntiStallChange> antiStall(List<EndedRollback> rollbacks, long endMicros) {
    return watcher == null
        ? List.of()
        : AntiStallChange.of(watcher.sequentialSpans(), rollbacks, sinceMicros, endMicros);
  }

  private ModeResult.@Nullable DetectionLatency latency() {
    LatencySnapshot latency = watcher == null ? null : watcher.latency();
    return latency == null || latency.count() == 0
        ? null
        : new ModeResult.DetectionLatency(
            latency.p50Ms(), latency.p99Ms(), latency.p999Ms(), latency.maxMs());
  }

  private static ModeResult.@Nullable RollbackTime rollbackTime(List<EndedRollback> rollbacks) {
    if (rollbacks.isEmpty()) {
      return null;
    }
    Histogram micros = new Histogram(HISTOGRAM_DIGITS);
    rollbacks.forEach(rollback -> micros.recordValue(rollback.totalMicros()));
    return new ModeResult.RollbackTime(
        micros.getValueAtPercentile(50) / MICROS_PER_MS, micros.getMaxValue() / MICROS_PER_MS);
  }

  private static long nowMicros() {
    return new SystemMicros().getAsLong();
  }
}

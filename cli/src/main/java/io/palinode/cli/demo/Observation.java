package io.palinode.cli.demo;

import io.palinode.cli.cluster.ControlPlane;
import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.run.RunResult;
import io.palinode.examples.graph.truth.Accuracy;
import io.palinode.examples.graph.truth.Detected;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.hvc.Grade;
import io.palinode.orchestrator.Grades;
import io.palinode.orchestrator.LatencySnapshot;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.Rollback;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What the orchestrator saw from a moment on, held against what the clients' own log says. Reports
 * of grade {@code uncertain} are hand-overs within ε: counted apart, since they neither alert nor
 * roll back.
 */
final class Observation {
  private static final int KEPT_MAX = 10_000;
  private static final double MICROS_PER_MS = 1_000.0;
  private static final int HISTOGRAM_DIGITS = 3;

  private final @Nullable ControlPlane plane;
  private final long sinceMicros;

  private Observation(@Nullable ControlPlane plane, long sinceMicros) {
    this.plane = plane;
    this.sinceMicros = sinceMicros;
  }

  /** From now on; {@code plane} is null when nobody watches. */
  static Observation begin(@Nullable ControlPlane plane) {
    if (plane != null) {
      plane.orchestrator().resetLatency();
    }
    return new Observation(plane, new io.palinode.voldemort.server.SystemMicros().getAsLong());
  }

  ModeResult result(Mode mode, RunResult run, ColouringCheck check) {
    List<Violation> violations = violations(Grade.POSSIBLE);
    Score score = Score.of(violations, Truth.of(run.logs()));
    List<Rollback> rollbacks = rollbacks();
    double seconds = run.elapsed().toNanos() / 1e9;
    return new ModeResult(
        mode.label(),
        run.operations() / seconds,
        run.tasks() / seconds,
        seconds,
        violations.size(),
        score.happened,
        score.precision(),
        score.recall(),
        rollbacks.size(),
        latency(),
        rollbackTime(rollbacks),
        run.wasted(),
        check.isRight(),
        score.possible,
        run.operations(),
        run.tasks(),
        check.improper().size(),
        violations(Grade.UNCERTAIN).size() - violations.size());
  }

  /** With this grade or more. */
  private List<Violation> violations(Grade least) {
    if (plane == null) {
      return List.of();
    }
    return plane.orchestrator().violations(KEPT_MAX).stream()
        .filter(received -> received.receivedMicros() >= sinceMicros)
        .map(ReceivedViolation::violation)
        .filter(violation -> Grades.of(violation.getGrade()).atLeast(least))
        .toList();
  }

  private List<Rollback> rollbacks() {
    if (plane == null) {
      return List.of();
    }
    return plane.orchestrator().rollbacks(KEPT_MAX).stream()
        .filter(rollback -> rollback.isEnded() && rollback.openedMicros() >= sinceMicros)
        .toList();
  }

  private ModeResult.@Nullable DetectionLatency latency() {
    LatencySnapshot latency = plane == null ? null : plane.orchestrator().latency(Grade.POSSIBLE);
    return latency == null || latency.count() == 0
        ? null
        : new ModeResult.DetectionLatency(
            latency.p50Ms(), latency.p99Ms(), latency.p999Ms(), latency.maxMs());
  }

  private static ModeResult.@Nullable RollbackTime rollbackTime(List<Rollback> rollbacks) {
    if (rollbacks.isEmpty()) {
      return null;
    }
    Histogram micros = new Histogram(HISTOGRAM_DIGITS);
    rollbacks.forEach(rollback -> micros.recordValue(rollback.totalMicros()));
    return new ModeResult.RollbackTime(
        micros.getValueAtPercentile(50) / MICROS_PER_MS, micros.getMaxValue() / MICROS_PER_MS);
  }

  /** Reports against the truth, over both rules. */
  private static final class Score {
    private int reported;
    private int falseReports;
    private int happened;
    private int missed;
    private int possible;

    static Score of(List<Violation> violations, Truth truth) {
      Map<Rule, List<Detected>> detected = new EnumMap<>(Rule.class);
      violations.forEach(violation -> add(violation, detected));
      Score score = new Score();
      for (Rule rule : Rule.values()) {
        Accuracy accuracy = Accuracy.compare(rule, detected.getOrDefault(rule, List.of()), truth);
        score.reported += accuracy.reported();
        score.falseReports += accuracy.falseReports().size();
        score.happened += accuracy.violations();
        score.missed += accuracy.missed().size();
        score.possible += truth.possible(rule).size() - accuracy.violations();
      }
      return score;
    }

    @Nullable Double precision() {
      return reported == 0 ? null : (double) (reported - falseReports) / reported;
    }

    @Nullable Double recall() {
      return happened == 0 || (reported == 0 && missed == happened)
          ? null
          : (double) (happened - missed) / happened;
    }

    /**
     * By the variables that the witnesses name, so that any form of the predicate can be scored.
     */
    private static void add(Violation violation, Map<Rule, List<Detected>> detected) {
      List<Seen> seen = new ArrayList<>();
      for (Witness witness : violation.getWitnessesList()) {
        Seen one = Seen.of(witness);
        if (one != null) {
          seen.add(one);
        }
      }
      if (seen.size() != 2 || !seen.get(0).edge.equals(seen.get(1).edge)) {
        return;
      }
      Edge edge = seen.get(0).edge;
      OptionalLong atA =
          seen.stream().filter(s -> s.end == edge.a()).mapToLong(s -> s.start).findFirst();
      OptionalLong atB =
          seen.stream().filter(s -> s.end == edge.b()).mapToLong(s -> s.start).findFirst();
      if (atA.isPresent() && atB.isPresent()) {
        detected
            .computeIfAbsent(seen.get(0).rule, rule -> new ArrayList<>())
            .add(new Detected(edge, atA.getAsLong(), atB.getAsLong()));
      }
    }
  }

  /** The critical-section cell that a witness is about. */
  private record Seen(Edge edge, int end, Rule rule, long start) {
    static @Nullable Seen of(Witness witness) {
      if (witness.getValuesCount() == 0) {
        return null;
      }
      String[] key = witness.getValues(0).getKey().toStringUtf8().split("_", -1);
      if (key.length != 4 || !key[0].equals("cs")) {
        return null;
      }
      Rule rule =
          witness.getValues(0).getValue().toStringUtf8().equals(Keys.INSIDE)
              ? Rule.EDGE_MUTEX
              : Rule.PROPER_COLOURING;
      return new Seen(
          new Edge(Integer.parseInt(key[1]), Integer.parseInt(key[2])),
          Integer.parseInt(key[3]),
          rule,
          io.palinode.wire.CandidateRecords.decode(witness.getStart()).own());
    }
  }
}

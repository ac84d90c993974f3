package io.palinode.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.Workload.Shape;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ReplayTest {
  @Test
  void nothingIsFoundWhereNothingIsViolated() {
    Workload workload = Workload.make(new Shape(3, 3, 0, 2, 0, 600), 1);
    assertThat(reports(workload, Streaming::new)).isEmpty();
    assertThat(reports(workload, EveryCombination::new)).isEmpty();
  }

  @Test
  void theSimpleWayNamesTheSameIntervals() {
    for (int seed = 1; seed <= 20; seed++) {
      for (double violated : new double[] {0.05, 1}) {
        Shape shape = new Shape(2 + seed % 3, 2 + seed % 4, violated, 1, seed % 2 * 20, 200);
        Workload workload = Workload.make(shape, seed);
        assertThat(named(workload, Streaming::new))
            .as("seed=%d shape=%s", seed, shape)
            .isNotEmpty()
            .isEqualTo(named(workload, EveryCombination::new));
      }
    }
  }

  @Test
  void theSimpleWayNamesTheSameIntervalsOfTotals() {
    assertThat(reports(Workload.ofTotal(new Shape(5, 3, 0, 1, 0, 200), 1), Streaming::new))
        .isEmpty();
    for (int seed = 1; seed <= 20; seed++) {
      Shape shape = new Shape(2 + seed % 3, 2 + seed % 4, 0.05, 1, seed % 2 * 20, 200);
      Workload workload = Workload.ofTotal(shape, seed);
      assertThat(named(workload, Streaming::new))
          .as("seed=%d shape=%s", seed, shape)
          .isNotEmpty()
          .isEqualTo(named(workload, EveryCombination::new));
    }
  }

  @Test
  void candidatesThatCompleteAViolationAreAsManyAsAsked() {
    Workload workload = Workload.make(new Shape(2, 3, 0.01, 100, 0, 50_000), 1);
    assertThat(reports(workload, EveryCombination::new)).hasSizeBetween(400, 600);
  }

  @Test
  void membersThatCompleteAViolationAreAsManyAsAsked() {
    assertThat(reports(Workload.ofDistinct(new Shape(2, 3, 0, 100, 0, 50_000), 1), Streaming::new))
        .isEmpty();
    Workload workload = Workload.ofDistinct(new Shape(2, 3, 0.01, 100, 0, 50_000), 1);
    assertThat(reports(workload, Streaming::new)).hasSizeBetween(400, 600);
  }

  @Test
  void everySecondCandidateIsATriggerAndAsManyAsAskedAreNotAnswered() {
    assertThat(reports(Workload.ofWithin(new Shape(2, 3, 0, 100, 0, 50_000), 1), Streaming::new))
        .isEmpty();
    Workload workload = Workload.ofWithin(new Shape(2, 3, 0.01, 100, 0, 50_000), 1);
    assertThat(reports(workload, Streaming::new)).hasSizeBetween(200, 300);
  }

  @Test
  void eachCandidateOfAnOperationIsAViolation() {
    for (ReplicaRule rule : List.of(ReplicaRule.FIRST, ReplicaRule.ANY)) {
      Workload workload = Workload.ofOperations(new Shape(1, 3, 1, 100, 0, 5_000), 1, rule);
      assertThat(reports(workload, Streaming::new)).as("rule=%s", rule).hasSize(5_000);
    }
  }

  private static Set<CandidateId> named(
      Workload workload, Function<DetectionSpec, Detector> detectors) {
    Set<CandidateId> named = new HashSet<>();
    for (Witness report : reports(workload, detectors)) {
      report.candidates().forEach(candidate -> named.add(candidate.id()));
    }
    return named;
  }

  private static List<Witness> reports(
      Workload workload, Function<DetectionSpec, Detector> detectors) {
    List<Witness> reports = new ArrayList<>();
    new Replay(workload, detectors, reports::add).forEachRemaining(Runnable::run);
    return reports;
  }
}

package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.stream.InstanceDetector;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The streaming detector against the oracle, on random runs in random orders of arrival. */
class InstanceDetectorOracleTest {
  @ParameterizedTest
  @EnumSource
  void reportsAreSoundAndCoverWhatTheOracleFinds(Shapes shapes) {
    Seeds.each(Seeds.count(), random -> check(Computation.random(random, shapes), random));
  }

  @ParameterizedTest
  @EnumSource(value = Shapes.class, names = "GROUPS", mode = EnumSource.Mode.EXCLUDE)
  void reportsOfJoinedReplicasAreSoundAndCoverWhatTheOracleFinds(Shapes shapes) {
    Seeds.each(
        Seeds.count(), random -> check(ReplicatedComputation.random(random, shapes), random));
  }

  @ParameterizedTest
  @EnumSource(value = Shapes.class, names = "GROUPS", mode = EnumSource.Mode.EXCLUDE)
  void aDetectorThatIsSavedAndRestoredBetweenEventsDoesTheSame(Shapes shapes) {
    Seeds.each(Seeds.count(500), random -> checkRestored(shapes, random));
  }

  /** Other nodes may still set an end, so a search must not pass over its interval. */
  @Test
  void intervalsThatOtherNodesMayEndAreNotPassedOver() {
    Seeds.one(1_908, random -> checkRestored(Shapes.K_OF_N, random));
    Seeds.one(1_150, random -> checkRestored(Shapes.SUM, random));
  }

  private static void checkRestored(Shapes shapes, Random random) {
    Computation run =
        random.nextBoolean()
            ? Computation.random(random, shapes)
            : ReplicatedComputation.random(random, shapes);
    long delivery = random.nextLong();
    Delivery kept = deliver(run, new Random(delivery), detector -> detector);
    Delivery restored =
        deliver(
            run,
            new Random(delivery),
            detector -> InstanceDetector.restore(run.spec(), detector.toBytes()));
    assertThat(names(restored.reports())).isEqualTo(names(kept.reports()));
    assertThat(names(restored.raised())).isEqualTo(names(kept.raised()));
    assertThat(restored.ended()).containsExactlyInAnyOrderElementsOf(kept.ended());
    assertThat(restored.detector().toBytes()).isEqualTo(kept.detector().toBytes());
  }

  /** The least sum need not be consistent while an end may move back. */
  @Test
  void aSumIsOnlyReportedWhereItsIntervalsAreConcurrent() {
    Seeds.one(18_086, random -> check(ReplicatedComputation.random(random, Shapes.SUM), random));
  }

  private static Delivery deliver(
      Computation run, Random random, UnaryOperator<InstanceDetector> between) {
    return new Delivery(random, run.spec(), run.events(), between).run();
  }

  private static void check(Computation run, Random random) {
    Delivery delivery = deliver(run, random, detector -> detector);
    List<Witness> witnesses = BruteForce.witnesses(run.spec(), run.trace());
    checkDrained(run, delivery);
    Map<String, Grade> all = new HashMap<>();
    witnesses.forEach(witness -> all.put(name(witness), witness.grade()));
    assertThat(all).as("sound").containsKeys(names(delivery.reports()).toArray(String[]::new));
    assertThat(names(delivery.reports())).as("repeated").doesNotHaveDuplicates();
    checkGrades(delivery, all);
    checkEnds(run, delivery);
    Covering.check(witnesses, delivery.latest());
    for (Delivery.Judged judged : delivery.judged()) {
      Covering.checkJudged(judged.hlc(), witnesses, judged.latest());
    }
  }

  /** Grades only rise, and end where the oracle's are. */
  private static void checkGrades(Delivery delivery, Map<String, Grade> all) {
    Map<String, Grade> reported = new HashMap<>();
    for (Witness report : delivery.reports()) {
      reported.put(name(report), report.grade());
    }
    for (Witness higher : delivery.raised()) {
      assertThat(higher.grade())
          .as("raised")
          .isGreaterThan(reported.put(name(higher), higher.grade()));
    }
    reported.forEach((name, grade) -> assertThat(grade).as(name).isEqualTo(all.get(name)));
  }

  /** A report has one end if one of its intervals has: with the report, or published later. */
  private static void checkEnds(Computation run, Delivery delivery) {
    Set<CandidateId> ending =
        run.trace().stream()
            .filter(candidate -> !candidate.interval().isOpen())
            .map(Candidate::id)
            .collect(Collectors.toSet());
    List<String> expected =
        delivery.reports().stream()
            .filter(report -> report.ended() == 0)
            .filter(report -> report.candidates().stream().anyMatch(c -> ending.contains(c.id())))
            .map(InstanceDetectorOracleTest::name)
            .toList();
    assertThat(delivery.ended().stream().map(each -> each.clause() + ":" + each.witnesses()))
        .containsExactlyInAnyOrderElementsOf(expected);
    List<Long> ends =
        run.events().stream()
            .flatMap(List::stream)
            .map(event -> event.candidate().interval().end())
            .filter(Objects::nonNull)
            .map(Hvc::own)
            .toList();
    assertThat(ends).containsAll(delivery.ended().stream().map(Ended::hlc).toList());
  }

  /** The rest is open, or ε = ∞ and not known everywhere. It is dropped at the end of the input. */
  private static void checkDrained(Computation run, Delivery delivery) {
    InstanceDetector detector = delivery.detector();
    boolean open = run.trace().stream().anyMatch(candidate -> candidate.interval().isOpen());
    if (!run.spec().causality().epsilon().isInfinite()) {
      assertThat(detector.isEmpty()).as("drained").isEqualTo(!open);
    }
    delivery.progress(Long.MAX_VALUE);
    assertThat(detector.isEmpty()).as("drained in the end").isEqualTo(!open);
    assertThat(detector.overflowed()).isZero();
  }

  private static List<String> names(List<Witness> witnesses) {
    return witnesses.stream().map(InstanceDetectorOracleTest::name).toList();
  }

  private static String name(Witness witness) {
    return witness.clause() + ":" + witness.candidates().stream().map(Candidate::id).toList();
  }
}

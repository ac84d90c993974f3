package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.LastingComputation.Ended;
import io.palinode.detection.search.Budget;
import io.palinode.detection.stream.Detector;
import io.palinode.detection.trace.RunJoin;
import io.palinode.detection.trace.TraceDetector;
import io.palinode.detection.trace.TraceDetector.Bounds;
import io.palinode.detection.trace.TraceDetector.Report;
import io.palinode.detection.trace.TraceSource;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clauses with {@code for} against the oracle: streams in random orders of arrival, and traces. */
class LastingOracleTest {
  @ParameterizedTest
  @EnumSource
  void reportsAreSoundAndCoverWhatTheOracleFinds(Shapes shapes) {
    int[] violated = {0};
    Seeds.each(Seeds.count(), random -> violated[0] += isViolated(random, shapes) ? 1 : 0);
    assertThat(violated[0]).as("runs with a violation").isGreaterThan(Seeds.count() / 10);
  }

  /** A restart ended intervals at an HLC that was passed, or a search missed what had ended. */
  @ParameterizedTest
  @ValueSource(ints = {3_868, 6_454})
  void restartsWithoutUncertaintyOfClocksAreSoundAndCovering(int seed) {
    for (Shapes shapes : List.of(Shapes.CONJUNCTIVE, Shapes.DISTINCT)) {
      Seeds.one(seed, random -> isViolated(random, shapes));
    }
  }

  private static boolean isViolated(Random random, Shapes shapes) {
    LastingComputation run = LastingComputation.random(random, shapes, true);
    List<Witness> oracle = LastingOracle.witnesses(run.spec(), run.intervals());
    check(run, oracle, new LastingStream(random, run, detector -> detector).run());
    return !oracle.isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aDetectorThatIsSavedAndRestoredBetweenEventsDoesTheSame(Shapes shapes) {
    Seeds.each(
        Seeds.count(200),
        random -> {
          LastingComputation run = LastingComputation.random(random, shapes, true);
          long delivery = random.nextLong();
          LastingStream kept =
              new LastingStream(new Random(delivery), run, detector -> detector).run();
          LastingStream restored =
              new LastingStream(
                      new Random(delivery),
                      run,
                      detector ->
                          Detector.restore(run.spec(), DetectionLimits.DEFAULT, detector.toBytes()))
                  .run();
          assertThat(names(restored.reports())).isEqualTo(names(kept.reports()));
          assertThat(names(restored.raised())).isEqualTo(names(kept.raised()));
          assertThat(restored.ended()).containsExactlyInAnyOrderElementsOf(kept.ended());
          assertThat(restored.detector().toBytes()).isEqualTo(kept.detector().toBytes());
        });
  }

  @ParameterizedTest
  @EnumSource
  void theReportsOfATraceEqualThoseOfTheOracle(Shapes shapes) {
    Seeds.each(
        Seeds.count(),
        random -> {
          LastingComputation run = LastingComputation.random(random, shapes, false);
          long last = last(run.intervals());
          List<Witness> oracle =
              LastingOracle.witnesses(run.spec(), run.intervals()).stream()
                  .filter(witness -> isKnown(run.spec(), witness, last))
                  .toList();
          List<Witness> all = detect(run, Report.ALL);
          assertThat(graded(all)).containsExactlyInAnyOrderElementsOf(graded(oracle));
          Covering.check(oracle, detect(run, Report.COVER));
          List<Witness> first = detect(run, Report.FIRST);
          assertThat(first.stream().map(Witness::violate).toList())
              .isEqualTo(oracle.stream().map(Witness::violate).sorted().limit(1).toList());
        });
  }

  /** What is open is known to hold until the trace ends. */
  private static boolean isKnown(DetectionSpec spec, Witness witness, long last) {
    return witness.candidates().stream()
        .allMatch(
            each ->
                !spec.clauses().get(each.clause()).lasts()
                    || !each.interval().isOpen()
                    || spec.countsFrom(each).own() <= last);
  }

  private static long last(List<Ended> intervals) {
    return intervals.stream()
        .mapToLong(
            ended -> {
              Hvc end = ended.candidate().interval().end();
              return (end == null ? ended.candidate().interval().start() : end).own();
            })
        .max()
        .orElse(0);
  }

  private static List<Witness> detect(LastingComputation run, Report report) {
    Map<CandidateId, String> endedBy = new HashMap<>();
    run.intervals().forEach(ended -> endedBy.put(ended.candidate().id(), ended.endedBy()));
    List<Candidate> joined =
        RunJoin.join(
            run.spec(),
            run.intervals().stream().map(Ended::candidate).toList(),
            candidate -> endedBy.get(candidate.id()));
    List<Witness> found = new ArrayList<>();
    TraceDetector.detect(
        run.spec(),
        TraceSource.of(run.spec().nodes(), joined),
        report,
        new Bounds(Integer.MAX_VALUE, new Budget(Long.MAX_VALUE)),
        found::add,
        () -> {});
    return found;
  }

  /**
   * What the definition means: clocks differ by at most ε, so what overlapped for ε more than the
   * time is found, and what is definite overlapped for the time less ε.
   */
  @ParameterizedTest
  @EnumSource(value = Shapes.class, names = "CONJUNCTIVE")
  void trueTimeAgreesWithinEpsilon(Shapes shapes) {
    int[] found = {0, 0};
    Seeds.each(
        Seeds.count(),
        random -> {
          LastingComputation run = LastingComputation.random(random, shapes, false);
          Map<CandidateId, LastingOracle.Run> runs = new HashMap<>();
          LastingOracle.runs(run.spec(), run.intervals())
              .forEach(each -> runs.put(each.candidate().id(), each));
          long epsilon = run.spec().causality().epsilon().micros();
          for (Witness witness : LastingOracle.witnesses(run.spec(), run.intervals())) {
            long time = overlap(witness.candidates(), runs);
            if (witness.grade() == Grade.DEFINITE) {
              found[0]++;
              assertThat(time).isGreaterThanOrEqualTo(time(run, witness.clause()) - epsilon);
            }
          }
          List<Witness> all = LastingOracle.witnesses(run.spec(), run.intervals());
          List<String> named = names(all);
          for (int clause = 0; clause < run.spec().clauses().size(); clause++) {
            for (List<Candidate> some : choices(run, clause, runs)) {
              if (overlap(some, runs) > time(run, clause) + epsilon) {
                found[1]++;
                assertThat(named).contains(name(clause, some));
              }
            }
          }
        });
    assertThat(found[0]).isPositive();
    assertThat(found[1]).isPositive();
  }

  private static long time(LastingComputation run, int clause) {
    return run.spec().clauses().get(clause).heldFor().toNanos() / 1_000;
  }

  private static long overlap(List<Candidate> some, Map<CandidateId, LastingOracle.Run> runs) {
    long from =
        some.stream()
            .mapToLong(each -> Objects.requireNonNull(runs.get(each.id())).from())
            .max()
            .orElseThrow();
    long until =
        some.stream()
            .mapToLong(each -> Objects.requireNonNull(runs.get(each.id())).until())
            .min()
            .orElseThrow();
    return until - from;
  }

  private static List<List<Candidate>> choices(
      LastingComputation run, int clause, Map<CandidateId, LastingOracle.Run> runs) {
    List<List<Candidate>> choices = List.of(List.of());
    for (int term = 0; term < run.spec().clauses().get(clause).terms(); term++) {
      List<List<Candidate>> more = new ArrayList<>();
      for (List<Candidate> chosen : choices) {
        for (LastingOracle.Run each : runs.values()) {
          if (each.candidate().clause() == clause && each.candidate().term() == term) {
            List<Candidate> longer = new ArrayList<>(chosen);
            longer.add(each.candidate());
            more.add(longer);
          }
        }
      }
      choices = more;
    }
    return choices;
  }

  private static void check(LastingComputation run, List<Witness> oracle, LastingStream stream) {
    Map<String, Witness> all = new HashMap<>();
    oracle.forEach(witness -> all.put(name(witness), witness));
    assertThat(all).as("sound").containsKeys(names(stream.reports()).toArray(String[]::new));
    assertThat(names(stream.reports())).as("repeated").doesNotHaveDuplicates();
    for (Witness latest : stream.latest()) {
      Witness expected = Objects.requireNonNull(all.get(name(latest)));
      assertThat(latest.grade()).as(name(latest)).isEqualTo(expected.grade());
      assertThat(latest.first()).isEqualTo(expected.first());
      assertThat(latest.violate()).isEqualTo(expected.violate());
    }
    Covering.check(oracle, stream.latest());
    for (Delivery.Judged judged : stream.judged()) {
      Covering.checkJudged(judged.hlc(), oracle, judged.latest());
    }
    checkEnds(oracle, stream);
    boolean open =
        LastingOracle.runs(run.spec(), run.intervals()).stream()
            .anyMatch(each -> each.candidate().interval().isOpen());
    assertThat(stream.detector().isEmpty()).as("drained").isEqualTo(!open);
    assertThat(stream.detector().overflows()).isEqualTo(Overflows.NONE);
  }

  /** Each report has one end, with the report or later, if a run of it has; it is the first. */
  private static void checkEnds(List<Witness> oracle, LastingStream stream) {
    Map<String, Long> ends = new HashMap<>();
    oracle.stream()
        .filter(witness -> witness.ended() > 0)
        .forEach(witness -> ends.put(name(witness), witness.ended()));
    Map<String, Long> reported = new HashMap<>();
    stream.reports().stream()
        .filter(report -> report.ended() > 0)
        .forEach(report -> reported.put(name(report), report.ended()));
    for (io.palinode.detection.Ended each : stream.ended()) {
      assertThat(reported.put(each.clause() + ":" + each.witnesses(), each.hlc())).isNull();
    }
    ends.keySet().retainAll(names(stream.reports()));
    assertThat(reported).isEqualTo(ends);
  }

  private static List<String> names(Collection<Witness> witnesses) {
    return witnesses.stream().map(LastingOracleTest::name).toList();
  }

  private static List<String> graded(Collection<Witness> witnesses) {
    return witnesses.stream()
        .map(witness -> name(witness) + witness.grade() + witness.first() + witness.violate())
        .toList();
  }

  private static String name(Witness witness) {
    return name(witness.clause(), witness.candidates());
  }

  private static String name(int clause, List<Candidate> candidates) {
    return clause + ":" + candidates.stream().map(Candidate::id).toList();
  }
}

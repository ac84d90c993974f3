package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * "All of two terms", as of the two ends of an edge, beside "at least two different members of one
 * term": both forms have the same verdicts on the same run.
 */
class DistinctFormTest {
  private static final int ENDS = 2;

  @Test
  void bothFormsReportTheSameIntervalsWithTheSameGrades() {
    Seeds.each(
        Seeds.count(), random -> check(Computation.random(random, Shapes.CONJUNCTIVE), random));
  }

  @Test
  void bothFormsReportTheSameJoinedIntervals() {
    Seeds.each(
        Seeds.count(),
        random -> check(ReplicatedComputation.random(random, Shapes.CONJUNCTIVE), random));
  }

  private static void check(Computation run, Random random) {
    Computation all = ofEnds(run);
    long delivery = random.nextLong();
    Map<String, Long> ofAll = reports(all, delivery);
    Map<String, Long> ofDistinct = reports(distinct(all), delivery);
    assertThat(ofDistinct).isEqualTo(ofAll);
  }

  /** Each clause has its first two terms. */
  private static Computation ofEnds(Computation run) {
    List<ClauseShape> clauses =
        Collections.nCopies(run.spec().clauses().size(), ClauseShape.all(ENDS));
    return new Computation(
        with(run.spec(), clauses),
        run.events().stream()
            .map(
                events -> events.stream().filter(event -> event.candidate().term() < ENDS).toList())
            .toList(),
        run.trace().stream().filter(candidate -> candidate.term() < ENDS).toList());
  }

  private static Computation distinct(Computation run) {
    List<ClauseShape> clauses =
        Collections.nCopies(
            run.spec().clauses().size(),
            new ClauseShape(new ClauseRule.AtLeast(ENDS, "end"), List.of(1)));
    return new Computation(
        with(run.spec(), clauses),
        run.events().stream()
            .map(
                events ->
                    events.stream()
                        .map(event -> new TraceEvent(member(event.candidate())))
                        .toList())
            .toList(),
        run.trace().stream().map(DistinctFormTest::member).toList());
  }

  private static DetectionSpec with(DetectionSpec spec, List<ClauseShape> clauses) {
    return new DetectionSpec(spec.nodes(), clauses, spec.causality(), spec.replicas());
  }

  private static Candidate member(Candidate of) {
    return new Candidate(
        of.clause(),
        0,
        of.id(),
        of.interval(),
        of.version(),
        of.origin(),
        of.amount(),
        of.state(),
        "end=" + of.term(),
        of.payload());
  }

  /**
   * The first moment of each interval's reports of a grade. Which other interval is named may
   * differ if two violations with the interval are equally early.
   */
  private static Map<String, Long> reports(Computation run, long delivery) {
    Delivery delivered =
        new Delivery(new Random(delivery), run.spec(), run.events(), detector -> detector).run();
    Map<String, Long> reports = new HashMap<>();
    for (Witness each : delivered.latest()) {
      for (Candidate candidate : each.candidates()) {
        reports.merge(
            each.clause() + " " + candidate.id() + " " + each.grade(), each.violate(), Math::min);
      }
    }
    return reports;
  }
}

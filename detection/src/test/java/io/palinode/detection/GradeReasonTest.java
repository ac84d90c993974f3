package io.palinode.detection;

import static io.palinode.detection.Given.candidate;
import static io.palinode.detection.Given.conservative;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sentence that explains a grade. */
class GradeReasonTest {
  private static final Candidate A = candidate(0, 0, 1, "100000/0", "108000/0");
  private static final Candidate B = candidate(1, 1, 1, "0/104900", "0/112000");

  @Test
  void intervalsThatOverlapByMoreThanEpsilonHeldAtTheSameTime() {
    assertThat(reason("1ms", A, B))
        .isEqualTo(
            "definite: term 1 on node 1 began at 1970-01-01T00:00:00.104900Z, 3.1 ms before term 0"
                + " on node 0 ended; clocks differ by at most 1ms, so both held at the same time");
  }

  @Test
  void intervalsThatOverlapByLessMayHaveHeldAtTheSameTime() {
    assertThat(reason("10ms", A, B))
        .isEqualTo(
            "possible: term 1 on node 1 began at 1970-01-01T00:00:00.104900Z, 3.1 ms before term 0"
                + " on node 0 ended; clocks differ by at most 10ms and no recorded clock orders the"
                + " two, so both may have held at the same time");
    assertThat(reason("inf", A, B)).contains("; clocks may differ by any time and no recorded");
  }

  @Test
  void intervalsThatClocksOrderWithinEpsilonAreUncertain() {
    assertThat(
            reason(
                "10ms",
                candidate(0, 0, 1, "100/0", "200/0"),
                candidate(1, 1, 1, "200/5200", "200/6000")))
        .isEqualTo(
            "uncertain: term 1 on node 1 began at 1970-01-01T00:00:00.005200Z, 5 ms after term 0 on"
                + " node 0 ended; the recorded clocks put it after that end, but clocks differ by at"
                + " most 10ms and the two are closer, so both may have held at the same time");
  }

  @Test
  void clocksThatKnowOfEachOtherShowTheOrder() {
    assertThat(
            reason(
                "inf",
                candidate(0, 0, 1, "100/0", "900/500"),
                candidate(1, 1, 1, "0/400", "100/600")))
        .endsWith("; the recorded clocks show that it began first, so both held at the same time");
    assertThat(
            reason("10ms", candidate(0, 0, 1, "100/0", "900/0"), candidate(0, 1, 2, "400/0", null)))
        .endsWith("; one clock measured both, so both held at the same time");
  }

  @Test
  void intervalsWithoutAnEnd() {
    Candidate openA = candidate(0, 0, 1, "100000/0", null);
    Candidate openB = candidate(1, 1, 1, "0/104900", null);
    assertThat(reason("1ms", openA, openB))
        .isEqualTo(
            "definite: term 1 on node 1 began at 1970-01-01T00:00:00.104900Z, and term 0 on node 0"
                + " began at 1970-01-01T00:00:00.100000Z; neither was known to have ended");
    assertThat(reason("1ms", A)).endsWith(", and it alone makes the clause true");
    assertThat(
            GradeReason.of(
                causality("1ms"),
                Duration.ZERO,
                Grade.POSSIBLE,
                List.of(
                    new GradeReason.Held(0, "", A.interval()),
                    new GradeReason.Held(1, "", B.interval()))))
        .as("published with another end")
        .endsWith("; an end that is not known may raise it");
  }

  @Test
  void anEndOnAnotherNodeIsNamed() {
    Candidate joined = A.over(new Interval(A.interval().start(), B.interval().end()));
    Candidate late = candidate(1, 1, 1, "0/111000", null);
    assertThat(reason("1ms", joined, late))
        .contains(", 1 ms before term 0 on node 0 ended on node 1;");
  }

  @Test
  void aClauseThatLastsCountsFromItsTimeAfterAStart() {
    List<GradeReason.Held> held =
        List.of(
            new GradeReason.Held(0, "", A.interval()), new GradeReason.Held(1, "", B.interval()));
    assertThat(GradeReason.of(causality("1ms"), Duration.ofMillis(2), Grade.DEFINITE, held))
        .isEqualTo(
            "definite: term 1 on node 1 had held for 2ms at 1970-01-01T00:00:00.106900Z, 1.1 ms"
                + " before term 0 on node 0 ended; clocks differ by at most 1ms, so both held"
                + " together for 2ms");
  }

  @Test
  void membersOfOneTermAreNamed() {
    Candidate ann = candidate(0, 0, 1, "100000/0", "108000/0").ofMember("client=ann");
    Candidate bob = candidate(0, 0, 2, "104900/0", null).ofMember("client=bob");
    assertThat(reason("1ms", ann, bob))
        .startsWith(
            "definite: term 0 (client=bob) on node 0 began at 1970-01-01T00:00:00.104900Z, 3.1 ms"
                + " before term 0 (client=ann) on node 0 ended;");
    List<GradeReason.Held> held =
        List.of(
            new GradeReason.Held(0, ann.member(), ann.interval()),
            new GradeReason.Held(0, bob.member(), bob.interval()));
    assertThat(GradeReason.of(causality("1ms"), Duration.ofMillis(2), Grade.DEFINITE, held))
        .startsWith("definite: term 0 (client=bob) on node 0 had held for 2ms at ")
        .contains(" before term 0 (client=ann) on node 0 ended;");
  }

  private static Causality causality(String epsilon) {
    return new Causality(Epsilon.parse(epsilon), Uncertainty.CONSERVATIVE);
  }

  /** With the grade that the pairs have. */
  private static String reason(String epsilon, Candidate... candidates) {
    Grade grade = Grade.DEFINITE;
    for (int i = 0; i < candidates.length; i++) {
      for (int j = 0; j < i; j++) {
        grade =
            grade.least(
                causality(epsilon).grade(candidates[i].interval(), candidates[j].interval()));
      }
    }
    return GradeReason.of(conservative(2, epsilon, 2), new Witness(0, List.of(candidates), grade));
  }
}

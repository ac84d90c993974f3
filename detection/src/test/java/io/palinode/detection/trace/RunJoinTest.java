package io.palinode.detection.trace;

import static io.palinode.detection.Given.hvc;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Given;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which runs are kept while the lines of a trace are taken. */
class RunJoinTest {
  private static final int LINES = 200_000;

  /** A sum of one variable with a time that each interval of these tests lasts for. */
  private static final DetectionSpec SPEC =
      new DetectionSpec(
          1,
          List.of(
              new ClauseShape(
                  new ClauseRule.Sum(
                      ClauseRule.Relation.ABOVE, new Decimal(BigDecimal.ZERO), List.of()),
                  List.of(1),
                  Duration.ofNanos(1_000))),
          Given.conservative(1, "0us", 1).causality(),
          Given.conservative(1, "0us", 1).replicas());

  private final List<Candidate> joined = new ArrayList<>();
  private final RunJoin join = new RunJoin(SPEC, Long.MAX_VALUE);

  /** Each write ends the value before, every other one with an equal value; a sibling stays. */
  @Test
  void ofValuesThatChangeOnlyTheStandingOneIsKept() {
    join.take(interval(0, null, "-1"), "", joined::add);
    int kept = 0;
    for (int i = 2; i < LINES; i++) {
      String value = i / 2 + (i % 2 == 0 ? "" : ".0");
      join.take(interval(i * 10L, i * 10L + 9, value), "k@" + (i + 1) * 10L, joined::add);
      kept = Math.max(kept, 1 + i / 2 - joined.size());
    }
    assertThat(kept).isEqualTo(2);
    join.end(joined::add);
    assertThat(joined).hasSize(LINES / 2);
  }

  @Test
  void aRunThatAGapEndsIsPassedOnWithTheNextLine() {
    join.take(interval(10, 19L, "5"), "", joined::add);
    assertThat(joined).isEmpty();
    join.take(interval(30, 39L, "5"), "", joined::add);
    assertThat(joined).extracting(run -> run.id().sequence()).containsExactly(10L);
  }

  /** Values of siblings: one is written again while another one stands beside it. */
  @Test
  void aRunThatOverlapsItsValueAgainContinuesBesideAnotherValue() {
    join.take(interval(10, 30L, "5"), "", joined::add);
    join.take(interval(20, null, "7"), "", joined::add);
    join.take(interval(25, 50L, "5.0"), "", joined::add);
    join.take(interval(40, 60L, "5.00"), "", joined::add);
    join.end(joined::add);
    assertThat(joined).extracting(run -> run.id().sequence()).containsExactly(20L, 10L);
    assertThat(joined.get(1).interval().end()).isEqualTo(hvc(0, "60"));
  }

  @Test
  void aWriteOfAnEqualValueContinuesTheRunThatItEnded() {
    join.take(interval(10, 19L, "5"), "k@20", joined::add);
    join.take(interval(20, 29L, "5.0"), "k@30", joined::add);
    join.take(interval(30, 39L, "6"), "", joined::add);
    assertThat(joined).hasSize(1);
    assertThat(joined.get(0).interval().end()).isEqualTo(hvc(0, "29"));
  }

  /** The sequence is the start, and the version is named after it. */
  private static Candidate interval(long start, @Nullable Long end, String value) {
    return new Candidate(
        0,
        0,
        new CandidateId(0, 1, start),
        new Interval(hvc(0, Long.toString(start)), end == null ? null : hvc(0, end.toString())),
        "k@" + start,
        null,
        new BigDecimal(value),
        new byte[0]);
  }
}

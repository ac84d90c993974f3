package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.PointInTime;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.Period;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Why a violation has its grade, in one sentence with the times that decide it. Pure. */
public final class GradeReason {
  private final Causality causality;
  private final Duration heldFor;

  private GradeReason(Causality causality, Duration heldFor) {
    this.causality = causality;
    this.heldFor = heldFor;
  }

  /**
   * A term and when it held.
   *
   * @param member with {@code distinct}: the binding of that capture, such as {@code client=7};
   *     else empty
   */
  public record Held(int term, String member, Interval interval) {
    private Held from(Hvc start) {
      return new Held(term, member, new Interval(start, interval.end()));
    }

    private String words() {
      String of = member.isEmpty() ? "" : " (" + member + ")";
      return "term " + term + of + " on node " + interval.node();
    }

    private String ended(Hvc end) {
      return words() + " ended" + (end.owner() == interval.node() ? "" : " on node " + end.owner());
    }
  }

  /** How the end of one interval stands to the start of another. */
  private record Side(Held ending, @Nullable Hvc end, Held starting, Grade grade) {
    /** Negative when the other started after the end. */
    long overlapMicros() {
      return end == null
          ? Long.MAX_VALUE - Hlc.micros(starting.interval().start().own())
          : Hlc.micros(end.own()) - Hlc.micros(starting.interval().start().own());
    }

    boolean decidesBefore(@Nullable Side other) {
      return other == null
          || (grade == other.grade
              ? overlapMicros() < other.overlapMicros()
              : other.grade.atLeast(grade));
    }
  }

  /**
   * {@code definite: term 1 on node 1 began at …, 3.1 ms before term 0 on node 0 ended; …}. A
   * member follows its term: {@code term 0 (client=7) on node 1}. The intervals are concurrent;
   * with {@code heldFor} each counts from that time after its start on. {@code grade} is that of
   * the violation, which may be less than the clocks have it while an end is not known.
   */
  public static String of(
      Causality causality, Duration heldFor, Grade grade, List<Held> intervals) {
    long micros = heldFor.toNanos() / 1_000;
    List<Held> counted =
        heldFor.isZero()
            ? intervals
            : intervals.stream()
                .map(held -> held.from(causality.delayed(held.interval().start(), micros)))
                .toList();
    return grade.name().toLowerCase(Locale.ROOT)
        + ": "
        + new GradeReason(causality, heldFor).reason(grade, counted);
  }

  /** Of a violation; with what its sum is, if it is one of a sum. */
  public static String of(DetectionSpec spec, Witness violation) {
    if (spec.isWithin()) {
      return AbsenceReason.of(
          spec.causality(),
          spec.within(),
          violation.candidates().stream().map(Candidate::interval).toList());
    }
    ClauseShape clause = spec.clauses().get(violation.clause());
    String reason =
        of(
            spec.causality(),
            clause.heldFor(),
            violation.grade(),
            violation.candidates().stream()
                .map(each -> new Held(each.term(), each.member(), each.interval()))
                .toList());
    return clause.rule() instanceof ClauseRule.Sum sum
        ? reason + SumReason.of(sum, violation.candidates())
        : reason;
  }

  private String reason(Grade grade, List<Held> intervals) {
    Side side = deciding(intervals);
    if (side == null) {
      return began(intervals.get(0)) + ", and it alone makes the clause true";
    }
    Hvc end = side.end();
    if (end == null) {
      return "%s, and %s; neither was known to have ended"
          .formatted(began(side.starting()), began(side.ending()));
    }
    return "%s, %s %s; %s"
        .formatted(
            began(side.starting()),
            distance(side.overlapMicros()),
            side.ending().ended(end),
            side.grade() == grade
                ? conclusion(side, end)
                : "an end that is not known may raise it");
  }

  private String began(Held held) {
    return held.words()
        + (heldFor.isZero() ? " began at " : " had held for " + Period.format(heldFor) + " at ")
        + PointInTime.format(held.interval().start().own());
  }

  private static String distance(long overlapMicros) {
    BigDecimal millis = BigDecimal.valueOf(Math.abs(overlapMicros), 3).stripTrailingZeros();
    return millis.toPlainString() + (overlapMicros < 0 ? " ms after" : " ms before");
  }

  private String conclusion(Side side, Hvc end) {
    String clocks =
        causality.epsilon().isInfinite()
            ? "clocks may differ by any time"
            : "clocks differ by at most " + causality.epsilon();
    return switch (side.grade()) {
      case DEFINITE ->
          (end.owner() == side.starting().interval().node()
                  ? "one clock measured both"
                  : side.overlapMicros() > 0 && isMoreThanEpsilon(side.overlapMicros())
                      ? clocks
                      : "the recorded clocks show that it began first")
              + ", so both held "
              + together();
      case POSSIBLE ->
          clocks + " and no recorded clock orders the two, so both may have held " + together();
      case UNCERTAIN ->
          "the recorded clocks put it after that end, but "
              + clocks
              + " and the two are closer, so both may have held "
              + together();
    };
  }

  private String together() {
    return heldFor.isZero() ? "at the same time" : "together for " + Period.format(heldFor);
  }

  private boolean isMoreThanEpsilon(long micros) {
    return !causality.epsilon().isInfinite() && micros > causality.epsilon().micros();
  }

  /** The side of the least grade, and of these the one that is closest; null of one interval. */
  private @Nullable Side deciding(List<Held> intervals) {
    Side deciding = null;
    for (int i = 0; i < intervals.size(); i++) {
      for (int j = 0; j < intervals.size(); j++) {
        Side side = i == j ? null : side(intervals.get(i), intervals.get(j));
        deciding = side != null && side.decidesBefore(deciding) ? side : deciding;
      }
    }
    return deciding;
  }

  private Side side(Held ending, Held starting) {
    Hvc end = ending.interval().end();
    return new Side(ending, end, starting, grade(end, starting.interval().start()));
  }

  private Grade grade(@Nullable Hvc end, Hvc start) {
    Grade tooEarly = end == null ? null : causality.leastTooEarly(end, start);
    if (tooEarly == null) {
      return Grade.DEFINITE;
    }
    return tooEarly == Grade.DEFINITE ? Grade.POSSIBLE : Grade.UNCERTAIN;
  }
}

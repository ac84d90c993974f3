package io.palinode.hvc;

import org.jspecify.annotations.Nullable;

/**
 * The order of intervals under a bound ε, and the grade of what is concurrent. Pure; O(n) a
 * question.
 *
 * <p>On different nodes, I is before J when {@code I.end < J.start} and, unless {@code uncertainty}
 * is causal or ε is ∞, {@code physical(I.end) ≤ physical(J.start) − ε}. On one node the own
 * timestamps decide. An open interval is before nothing. ("Optimistic Execution in Key-Value
 * Store", §III; HVC interval relation.)
 */
public record Causality(Epsilon epsilon, Uncertainty uncertainty) {

  public Order order(Interval i, Interval j) {
    if (isBefore(i, j)) {
      return Order.BEFORE;
    }
    return isBefore(j, i) ? Order.AFTER : Order.CONCURRENT;
  }

  public boolean isBefore(Interval i, Interval j) {
    return i.end() != null && endsBefore(i.end(), j.start());
  }

  /**
   * Whether an interval that ends at {@code end} is before every interval that starts at or after
   * {@code start} on its node.
   */
  public boolean endsBefore(Hvc end, Hvc start) {
    if (end.owner() == start.owner()) {
      return end.own() < start.own();
    }
    return end.isBefore(start) && (ignoresClocks() || physicallyApart(end, start, 0));
  }

  /**
   * Whether an interval that ends at {@code end} ends too early for a concurrent pair of at least
   * {@code grade} with any interval that starts at or after {@code start} on its node. For {@link
   * Grade#UNCERTAIN} it is {@link #endsBefore}. An earlier end and a higher grade make it no less
   * so. Two intervals are concurrent with at least the grade when neither ends too early.
   */
  public boolean endsTooEarly(Hvc end, Hvc start, Grade grade) {
    return endsBefore(end, start)
        || (grade != Grade.UNCERTAIN && !endGrade(end, start).atLeast(grade));
  }

  /**
   * The least grade for which {@code end} ends too early for {@code start}: then it does for every
   * higher one, {@link #endsTooEarly}. Null when it does for none.
   */
  public @Nullable Grade leastTooEarly(Hvc end, Hvc start) {
    if (endsBefore(end, start)) {
      return Grade.UNCERTAIN;
    }
    return switch (endGrade(end, start)) {
      case UNCERTAIN -> Grade.POSSIBLE;
      case POSSIBLE -> Grade.DEFINITE;
      case DEFINITE -> null;
    };
  }

  /**
   * The grade of two intervals that are concurrent by {@link #order}; an open end counts as
   * unbounded.
   */
  public Grade grade(Interval i, Interval j) {
    return endGrade(i.end(), j.start()).least(endGrade(j.end(), i.start()));
  }

  /** What an end leaves of the grade of a pair whose other interval starts at {@code start}. */
  private Grade endGrade(@Nullable Hvc end, Hvc start) {
    if (end == null || startsBeforeEnd(start, end)) {
      return Grade.DEFINITE;
    }
    return end.isBefore(start) ? Grade.UNCERTAIN : Grade.POSSIBLE;
  }

  private boolean startsBeforeEnd(Hvc start, Hvc end) {
    if (start.owner() == end.owner()) {
      return start.own() <= end.own();
    }
    return start.isBefore(end) || (!epsilon.isInfinite() && physicallyApart(start, end, 1));
  }

  /**
   * The clock that counts as {@code start} for an interval that must have held for {@code micros}:
   * the own entry is later by that time, and each other entry is at least that less ε. By then all
   * events that are ε earlier have happened. Rises in every entry with {@code start}. O(nodes).
   */
  public Hvc delayed(Hvc start, long micros) {
    long own = later(start.own(), micros);
    return start.raisedTo(own, epsilon.isInfinite() ? 0 : earlier(own, epsilon.micros()));
  }

  /**
   * {@code clock}, with no entry below the own one less ε: by ε, the other nodes' clocks had passed
   * that. The same object if none is. O(nodes).
   */
  public Hvc floored(Hvc clock) {
    if (epsilon.isInfinite()) {
      return clock;
    }
    long floor = earlier(clock.own(), epsilon.micros());
    for (int node = 0; node < clock.nodes(); node++) {
      if (clock.get(node) < floor) {
        return clock.raisedTo(clock.own(), floor);
      }
    }
    return clock;
  }

  private static long later(long hlc, long micros) {
    return Hlc.of(
        Math.min(Hlc.MICROS_MAX, Hlc.micros(hlc) + Math.min(micros, Hlc.MICROS_MAX)),
        Hlc.counter(hlc));
  }

  private static long earlier(long hlc, long micros) {
    return Hlc.micros(hlc) < micros ? 0 : Hlc.of(Hlc.micros(hlc) - micros, Hlc.counter(hlc));
  }

  /** Whether what is causally ordered is ordered however close it is. */
  public boolean ignoresClocks() {
    return uncertainty == Uncertainty.CAUSAL || epsilon.isInfinite();
  }

  private boolean physicallyApart(Hvc earlier, Hvc later, long moreThan) {
    return Hlc.micros(later.own()) - Hlc.micros(earlier.own()) >= epsilon.micros() + moreThan;
  }
}

package io.palinode.hvc;

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
   * The grade of two intervals that are concurrent by {@link #order}; an open end counts as
   * unbounded.
   */
  public Grade grade(Interval i, Interval j) {
    if (startsBeforeEnd(i, j) && startsBeforeEnd(j, i)) {
      return Grade.DEFINITE;
    }
    boolean ordered =
        (i.end() != null && i.end().isBefore(j.start()))
            || (j.end() != null && j.end().isBefore(i.start()));
    return ordered ? Grade.UNCERTAIN : Grade.POSSIBLE;
  }

  private boolean startsBeforeEnd(Interval i, Interval j) {
    Hvc end = j.end();
    if (end == null) {
      return true;
    }
    if (i.start().owner() == end.owner()) {
      return i.start().own() <= end.own();
    }
    return i.start().isBefore(end) || (!epsilon.isInfinite() && physicallyApart(i.start(), end, 1));
  }

  private boolean ignoresClocks() {
    return uncertainty == Uncertainty.CAUSAL || epsilon.isInfinite();
  }

  private boolean physicallyApart(Hvc earlier, Hvc later, long moreThan) {
    return Hlc.micros(later.own()) - Hlc.micros(earlier.own()) >= epsilon.micros() + moreThan;
  }
}

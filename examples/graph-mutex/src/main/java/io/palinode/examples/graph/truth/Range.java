package io.palinode.examples.graph.truth;

/**
 * From {@code from} on, until right before {@code until}; empty when they are equal.
 *
 * @param until {@link #OPEN}: without end
 */
public record Range(long from, long until) {
  public static final long OPEN = Long.MAX_VALUE;
  public static final Range EMPTY = new Range(OPEN, OPEN);

  public Range {
    if (from > until) {
      throw new IllegalArgumentException(
          "a range must not end before it begins: from=" + from + " until=" + until);
    }
  }

  public boolean contains(long value) {
    return from <= value && value < until;
  }

  public boolean meets(Range other) {
    return Math.max(from, other.from) < Math.min(until, other.until);
  }
}

package io.palinode.orchestrator.health;

import java.util.Locale;

/**
 * Bounds on how far the clock of one node is ahead of another node's, in microseconds. Immutable.
 *
 * @param leastMicros above {@code mostMicros} if one of the clocks was set within the last minute
 */
record PairOffset(int node, int other, long leastMicros, long mostMicros) {
  private static final double MICROS_PER_MILLI = 1_000.0;
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  /** The same pair, seen from the other node. */
  PairOffset reversed() {
    return new PairOffset(other, node, -mostMicros, -leastMicros);
  }

  /** Whether a clock was set, so that the bounds say nothing yet. */
  boolean isMoved() {
    return leastMicros > mostMicros;
  }

  /** The clocks differ by at least this; 0: they may be equal, or one was set. */
  long apartMicros() {
    return isMoved() ? 0 : Math.max(0, Math.max(leastMicros, -mostMicros));
  }

  /** The clocks differ by at most this. */
  long apartMicrosMax() {
    return Math.max(Math.abs(leastMicros), Math.abs(mostMicros));
  }

  /** For a pair whose clocks differ for certain: such as "18.2 to 21.7 ms ahead of node 0". */
  String inWords() {
    return mostMicros < 0
        ? "%s behind node %d".formatted(span(-mostMicros, -leastMicros), other)
        : "%s ahead of node %d".formatted(span(), other);
  }

  /** Such as "-1.2 to 3.4 ms". */
  String span() {
    return span(leastMicros, mostMicros);
  }

  private static String span(long from, long to) {
    boolean isLong = Math.max(Math.abs(from), Math.abs(to)) >= MICROS_PER_SECOND;
    double unit = isLong ? MICROS_PER_SECOND : MICROS_PER_MILLI;
    return String.format(
        Locale.ROOT, "%.1f to %.1f %s", from / unit, to / unit, isLong ? "s" : "ms");
  }
}

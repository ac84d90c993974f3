package io.palinode.cli.trace;

import java.util.Map;
import java.util.Optional;

/**
 * An operation of a client, which took effect at some time from its start to its end.
 *
 * @param number its place in the history
 * @param node the clock that measured both times
 * @param invoked its start, an HLC
 * @param completed its end, an HLC; {@link #UNKNOWN} if it may still take effect
 * @param writes the new value of each key; empty: a deletion
 * @param reads the value of each key that it found
 */
record Operation(
    long number,
    int node,
    long invoked,
    long completed,
    Map<String, Optional<String>> writes,
    Map<String, String> reads) {
  static final long UNKNOWN = Long.MAX_VALUE;

  Operation {
    if (invoked < 0 || completed < invoked) {
      throw new IllegalArgumentException("an operation must not complete before it is invoked");
    }
  }
}

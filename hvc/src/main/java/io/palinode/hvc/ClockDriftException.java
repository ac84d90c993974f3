package io.palinode.hvc;

import java.io.Serial;

/**
 * A received timestamp was too far ahead of the local physical clock: one broken clock must not
 * drag the cluster along.
 */
public final class ClockDriftException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  ClockDriftException(int node, long nowMicros, int other, long received, long maxDriftMicros) {
    super(
        "node %d at %d µs received %s of node %d, which is %d µs ahead; at most %d µs are accepted: check both clocks"
            .formatted(
                node,
                nowMicros,
                Hlc.format(received),
                other,
                Hlc.micros(received) - nowMicros,
                maxDriftMicros));
  }
}

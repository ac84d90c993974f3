package io.palinode.hvc;

import java.io.Serial;

/**
 * A received timestamp was too far ahead of the local physical clock: one broken clock must not
 * drag the cluster along.
 */
public final class ClockDriftException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final int other;
  private final long aheadMicros;

  ClockDriftException(int node, long nowMicros, int other, long received, long maxDriftMicros) {
    super(
        "node %d at %s received %s of node %d, which is %d µs ahead; at most %d µs are accepted: check both clocks"
            .formatted(
                node,
                PointInTime.format(Hlc.ofMicros(nowMicros)),
                PointInTime.format(received),
                other,
                Hlc.micros(received) - nowMicros,
                maxDriftMicros));
    this.other = other;
    this.aheadMicros = Hlc.micros(received) - nowMicros;
  }

  /** The node whose clock was received. */
  public int other() {
    return other;
  }

  /** How far that clock is ahead of the receiver's physical clock. */
  public long aheadMicros() {
    return aheadMicros;
  }
}

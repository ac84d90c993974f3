package io.palinode.store.order;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import java.io.Serial;

/** Thrown while the physical clock is before the last incarnation's clock promise. */
public final class ClockBehindException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public ClockBehindException(int node, long promisedHlc, long nowMicros) {
    super(
        "the clock of node %d is %,d µs behind what the node may have written before (%s): if it was set back, set it right; or start the node when that time has passed"
            .formatted(node, Hlc.micros(promisedHlc) - nowMicros, PointInTime.format(promisedHlc)));
  }
}

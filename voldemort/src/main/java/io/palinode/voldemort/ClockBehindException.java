package io.palinode.voldemort;

import io.palinode.hvc.Hlc;
import java.io.Serial;

/** The physical clock has not come to where a node's last life may have written. */
public final class ClockBehindException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  ClockBehindException(int node, long promisedHlc, long nowMicros) {
    super(
        "the clock of node %d is %,d µs behind what the node may have written before (%s): if it was set back, set it right; or start the node when that time has passed"
            .formatted(node, Hlc.micros(promisedHlc) - nowMicros, Hlc.format(promisedHlc)));
  }
}

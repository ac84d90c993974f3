package io.palinode.retroscope;

import io.palinode.hvc.Hlc;
import java.io.Serial;

/**
 * A time that the window-log no longer, or not yet, reaches; the message names the reachable range.
 */
public final class OutOfReachException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public OutOfReachException(long target, long from, long to) {
    super(
        "time %s is out of reach: the window-log reaches from %s to %s"
            .formatted(Hlc.format(target), Hlc.format(from), Hlc.format(to)));
  }
}

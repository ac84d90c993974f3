package io.palinode.examples.graph.run;

import io.palinode.examples.graph.Edge;
import java.io.Serial;
import java.time.Duration;

/** A client waited too long for the lock of an edge: its holder died, or is very slow. */
public final class LockWaitException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  LockWaitException(Edge edge, int waiting, Duration waitMax) {
    super(
        "a wait for a lock must be at most "
            + waitMax.toMillis()
            + " ms: edge="
            + edge
            + " waiting="
            + waiting
            + " holder="
            + edge.other(waiting));
  }
}

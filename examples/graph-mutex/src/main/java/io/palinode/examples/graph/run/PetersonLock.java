package io.palinode.examples.graph.run;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import java.time.Duration;

/**
 * Mutual exclusion of the two ends of an edge, by three cells of the store (G. L. Peterson, "Myths
 * about the mutual exclusion problem", 1981). Right when the store is sequentially consistent; on a
 * store that is not, both may be let in. Locks of several edges must be taken in ascending order.
 */
final class PetersonLock {
  private static final long BACK_OFF_NANOS_MIN = 200_000;
  private static final long BACK_OFF_NANOS_MAX = 5_000_000;

  private final Cells cells;
  private final Timing timing;
  private final Duration waitMax;

  PetersonLock(Cells cells, Timing timing, Duration waitMax) {
    this.cells = cells;
    this.timing = timing;
    this.waitMax = waitMax;
  }

  /** Returns when {@code me} may go in; throws {@link LockWaitException} after the longest wait. */
  void acquire(Edge edge, int me) {
    int other = edge.other(me);
    cells.put(Keys.flag(edge, me), Keys.WANTED);
    cells.put(Keys.turn(edge), Integer.toString(other));
    long since = timing.nanoTime().getAsLong();
    long backOffNanos = BACK_OFF_NANOS_MIN;
    while (otherGoesFirst(edge, other)) {
      if (timing.nanoTime().getAsLong() - since > waitMax.toNanos()) {
        throw new LockWaitException(edge, me, waitMax);
      }
      timing.pauseNanos().accept(backOffNanos);
      backOffNanos = Math.min(2 * backOffNanos, BACK_OFF_NANOS_MAX);
    }
  }

  void release(Edge edge, int me) {
    cells.put(Keys.flag(edge, me), Keys.FREE);
  }

  private boolean otherGoesFirst(Edge edge, int other) {
    return Keys.WANTED.equals(cells.get(Keys.flag(edge, other)))
        && Integer.toString(other).equals(cells.get(Keys.turn(edge)));
  }
}

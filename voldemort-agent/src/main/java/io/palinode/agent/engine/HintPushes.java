package io.palinode.agent.engine;

import io.palinode.store.order.FenceState;
import org.jspecify.annotations.Nullable;

/**
 * The runs of the server's hint delivery job, with their epochs. A run reads hints before it sends
 * them, so a rollback cannot drop the hints already read. All hints of a run therefore carry the
 * epoch in which it began, and servers refuse them in another. Hints that stand remain in the store
 * of hints for the next run. Thread-safe.
 */
final class HintPushes {
  private int underWay;
  private volatile @Nullable Long epoch;

  synchronized void begun(FenceState fence) {
    if (underWay++ == 0) {
      // Until the epoch is served, hints of undone writes may remain: no server accepts these.
      epoch = fence.paused() ? fence.epoch() - 1 : fence.epoch();
    }
  }

  synchronized void ended() {
    if (underWay > 0 && --underWay == 0) {
      epoch = null;
    }
  }

  /** Whether servers now refuse the hints of the run: a pause or another epoch. */
  boolean isOvertaken(FenceState fence) {
    Long begun = epoch;
    return begun != null && (fence.paused() || fence.epoch() != begun);
  }

  /** The epoch of the earliest running run; null if there is none. */
  @Nullable Long epoch() {
    return epoch;
  }
}

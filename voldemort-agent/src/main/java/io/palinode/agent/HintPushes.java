package io.palinode.agent;

import io.palinode.store.order.FenceState;
import org.jspecify.annotations.Nullable;

/**
 * The runs of the server's job that delivers hints, and the epoch of what they deliver. A run reads
 * hints ahead of sending them: what it had read before a rollback is in no store of hints when that
 * drops those of undone writes. So all that a run delivers is of the epoch in which it began, and
 * servers refuse it in another. Those that stand are in the store of hints still, for the next run.
 * Thread-safe.
 */
final class HintPushes {
  private int underWay;
  private volatile @Nullable Long epoch;

  synchronized void begun(FenceState fence) {
    if (underWay++ == 0) {
      // Until the epoch is served, some hints of what it undid may be there: nobody takes these.
      epoch = fence.paused() ? fence.epoch() - 1 : fence.epoch();
    }
  }

  synchronized void ended() {
    if (underWay > 0 && --underWay == 0) {
      epoch = null;
    }
  }

  /** Whether what it delivers is refused now: by who is paused, or in another epoch. */
  boolean isOvertaken(FenceState fence) {
    Long begun = epoch;
    return begun != null && (fence.paused() || fence.epoch() != begun);
  }

  /** Of the run that began first of those under way; null: there is none. */
  @Nullable Long epoch() {
    return epoch;
  }
}

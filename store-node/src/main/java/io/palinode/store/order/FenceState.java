package io.palinode.store.order;

import io.palinode.store.binding.MissedEpochs;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a node serves, and what its refusals contain. Immutable.
 *
 * @param epoch the current epoch; while paused, the next one
 * @param paused whether all requests are refused until the epoch resumes
 * @param target the restored cut; null before any rollback, and while paused, since the target may
 *     still move back
 * @param sequentialUntilMicros clients write to all replicas until this wall clock; 0 if they need
 *     not
 * @param missed for a client that has missed epochs; empty while paused
 */
public record FenceState(
    long epoch,
    boolean paused,
    @Nullable Long target,
    long sequentialUntilMicros,
    MissedEpochs missed) {
  public static final FenceState INITIAL = new FenceState(0, false, null, 0, MissedEpochs.NONE);

  public FenceState {
    if (epoch < 0) {
      throw new IllegalArgumentException("an epoch must not be negative: epoch=" + epoch);
    }
  }

  public static FenceState paused(long epoch) {
    return new FenceState(epoch, true, null, 0, MissedEpochs.NONE);
  }

  public static FenceState resumed(
      long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    return new FenceState(epoch, false, target, sequentialUntilMicros, missed);
  }

  /**
   * The fence that refuses a request; null if it is served.
   *
   * @param requestEpoch null from a client without epochs: served unless paused
   */
  public @Nullable FenceState refusal(@Nullable Long requestEpoch) {
    if (requestEpoch == null || requestEpoch == epoch) {
      return paused ? this : null;
    }
    // Another node already serves a later epoch. This node will follow; the client retries.
    return requestEpoch > epoch ? paused(requestEpoch) : this;
  }
}

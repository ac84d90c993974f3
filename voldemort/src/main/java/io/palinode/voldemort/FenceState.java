package io.palinode.voldemort;

import io.palinode.detector.MissedEpochs;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a node serves; also what a refused client is told. Immutable: each change makes
 * another object.
 *
 * @param epoch the epoch in force, or, while paused, the one that will be
 * @param paused nothing is served until the epoch is resumed
 * @param target the cut that the store was taken back to; null before any rollback and while
 *     paused, for a pause may still move its target back
 * @param sequentialUntilMicros clients are asked to write to all replicas until this wall clock; 0:
 *     no
 * @param missed what a client that has missed epochs has to know; not told while paused
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

  static FenceState paused(long epoch) {
    return new FenceState(epoch, true, null, 0, MissedEpochs.NONE);
  }

  static FenceState resumed(
      long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    return new FenceState(epoch, false, target, sequentialUntilMicros, missed);
  }

  /**
   * What a request is refused with; null: it is served.
   *
   * @param requestEpoch null from a client that knows of no epochs: served unless paused
   */
  public @Nullable FenceState refusal(@Nullable Long requestEpoch) {
    if (requestEpoch == null || requestEpoch == epoch) {
      return paused ? this : null;
    }
    // The client heard of a later epoch from another node: this one will follow, ask again.
    return requestEpoch > epoch ? paused(requestEpoch) : this;
  }
}

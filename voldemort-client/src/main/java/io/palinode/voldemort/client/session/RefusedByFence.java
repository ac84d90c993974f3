package io.palinode.voldemort.client.session;

import java.io.Serial;

/** A request met a fence. Never reaches a program: calls wait, retry or throw RolledBack. */
public final class RefusedByFence extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private final boolean epochOver;
  private final long epoch;

  private RefusedByFence(String message, boolean epochOver, long epoch) {
    super(message, null, false, false);
    this.epochOver = epochOver;
    this.epoch = epoch;
  }

  /** The epoch of the request is over; its result, if any, does not count. */
  public static RefusedByFence over() {
    return new RefusedByFence("the request's epoch is over", true, EpochView.UNKNOWN);
  }

  /**
   * The node does not serve the epoch of the request yet.
   *
   * @param epoch of the fence
   */
  public static RefusedByFence paused(long epoch) {
    return new RefusedByFence("the node is paused", false, epoch);
  }

  /** The epoch of the fence of a paused node; else {@link EpochView#UNKNOWN}. */
  public long epoch() {
    return epoch;
  }

  public boolean isEpochOver() {
    return epochOver;
  }
}

package io.palinode.voldemort.client.session;

import java.io.Serial;

/** A request met a fence. Never reaches a program: calls wait, retry or throw RolledBack. */
public final class RefusedByFence extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private final boolean epochOver;

  private RefusedByFence(String message, boolean epochOver) {
    super(message, null, false, false);
    this.epochOver = epochOver;
  }

  /** The epoch of the request is over; its result, if any, does not count. */
  public static RefusedByFence over() {
    return new RefusedByFence("the request's epoch is over", true);
  }

  /** The node does not serve the epoch of the request yet. */
  public static RefusedByFence paused() {
    return new RefusedByFence("the node is paused", false);
  }

  public boolean isEpochOver() {
    return epochOver;
  }
}

package io.palinode.voldemort.client;

import java.io.Serial;

/** A request met a fence. Never leaves this package: calls wait, retry or throw RolledBack. */
final class RefusedByFence extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private final boolean epochOver;

  private RefusedByFence(String message, boolean epochOver) {
    super(message, null, false, false);
    this.epochOver = epochOver;
  }

  /** The epoch of the request is over; its result, if any, does not count. */
  static RefusedByFence over() {
    return new RefusedByFence("the request's epoch is over", true);
  }

  /** The node does not serve the epoch of the request yet. */
  static RefusedByFence paused() {
    return new RefusedByFence("the node is paused", false);
  }

  boolean isEpochOver() {
    return epochOver;
  }
}

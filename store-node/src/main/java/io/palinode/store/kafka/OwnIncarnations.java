package io.palinode.store.kafka;

import io.palinode.wire.v1.ControlRecord;

/**
 * Finds the newest incarnation of a node that the control log holds from before its start. A data
 * folder whose incarnation is not newer is empty, or an older copy. Read by any thread.
 */
final class OwnIncarnations implements ControlListener {
  private final int node;
  private volatile long newest;
  private boolean caughtUp;

  OwnIncarnations(int node) {
    this.node = node;
  }

  @Override
  public void onStep(ControlRecord step) {
    if (!caughtUp && step.hasNodeJoined() && step.getNodeJoined().getNode() == node) {
      newest = Math.max(newest, step.getNodeJoined().getIncarnation());
    }
  }

  @Override
  public void onCaughtUp() {
    caughtUp = true;
  }

  /** 0: there is none. */
  long newest() {
    return newest;
  }
}

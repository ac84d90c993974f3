package io.palinode.store.order;

import io.palinode.store.binding.SequentialKeys;
import java.util.List;

/**
 * The fence of a node, and what else its responses ask of clients. Threads read any field without a
 * lock.
 */
public final class Fence {
  private final int node;

  /** Written under the write lock. A reader of the reference sees one whole state. */
  private volatile FenceState state;

  /** Not on disk: a watched node reads it from the control log before it serves. */
  private volatile List<SequentialKeys> sequential = List.of();

  private volatile long safePoint;

  public Fence(int node, FenceState state) {
    this.node = node;
    this.state = state;
  }

  public FenceState state() {
    return state;
  }

  /** Under the write lock. */
  public void become(FenceState next) {
    state = next;
  }

  public List<SequentialKeys> sequential() {
    return sequential;
  }

  public void sequential(List<SequentialKeys> keys) {
    sequential = keys;
  }

  public long safePoint() {
    return safePoint;
  }

  /** A safe point never moves back. Called by one thread. */
  public void safePoint(long hlc) {
    safePoint = Math.max(safePoint, hlc);
  }

  public void requirePaused() {
    if (!state.paused()) {
      throw new IllegalStateException(
          "a node must be paused before its records are repaired: epoch=" + state.epoch());
    }
  }

  /** An older control log than that of the data would undo nothing, without an error. */
  public void requireNotPast(long epoch) {
    if (epoch < state.epoch()) {
      throw new IllegalStateException(
          "the data of node %d is of epoch %d, its control log only of epoch %d: start it with the control log that belongs to the data, or both empty"
              .formatted(node, state.epoch(), epoch));
    }
  }
}

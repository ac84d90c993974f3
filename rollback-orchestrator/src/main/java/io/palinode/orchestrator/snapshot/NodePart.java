package io.palinode.orchestrator.snapshot;

import io.palinode.wire.v1.SnapshotProgress;
import io.palinode.wire.v1.SnapshotTaken;

/**
 * The progress of one node's part of a snapshot. Immutable.
 *
 * @param taken the node's answer, or its progress so far; its failure if it has no part
 * @param reportedMicros when it was last asked to begin, or last reported
 */
public record NodePart(int node, State state, SnapshotTaken taken, long reportedMicros) {
  /** The state of a part. */
  public enum State {
    WAITING,
    TAKING,
    TAKEN,
    FAILED
  }

  static NodePart waiting(int node) {
    return new NodePart(node, State.WAITING, SnapshotTaken.newBuilder().setNode(node).build(), 0);
  }

  boolean isDone() {
    return state == State.TAKEN || state == State.FAILED;
  }

  NodePart asked(long atMicros) {
    return state == State.WAITING ? new NodePart(node, State.TAKING, taken, atMicros) : this;
  }

  NodePart progressed(SnapshotProgress progress, long atMicros) {
    return isDone()
        ? this
        : new NodePart(
            node,
            State.TAKING,
            taken.toBuilder().setKeys(progress.getKeys()).setBytes(progress.getBytes()).build(),
            atMicros);
  }

  NodePart answered(SnapshotTaken answer, long atMicros) {
    State end = answer.getFailure().isEmpty() ? State.TAKEN : State.FAILED;
    return isDone() ? this : new NodePart(node, end, answer, atMicros);
  }

  /** After the end of the snapshot, whose record overrides the node's own report. */
  NodePart closed(SnapshotTaken part, long atMicros) {
    return new NodePart(
        node, part.getFailure().isEmpty() ? State.TAKEN : State.FAILED, part, atMicros);
  }

  NodePart failed(String reason, long atMicros) {
    return isDone()
        ? this
        : new NodePart(node, State.FAILED, taken.toBuilder().setFailure(reason).build(), atMicros);
  }
}

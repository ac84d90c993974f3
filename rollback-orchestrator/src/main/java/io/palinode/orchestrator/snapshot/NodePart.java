package io.palinode.orchestrator.snapshot;

import io.palinode.wire.v1.SnapshotProgress;
import io.palinode.wire.v1.SnapshotTaken;

/**
 * How far a node is with its part.
 *
 * @param taken what it answered, or, while it takes, how far it is; its failure when it has none
 * @param heardMicros when it was told to begin, or said something last
 */
public record NodePart(int node, State state, SnapshotTaken taken, long heardMicros) {
  /** What a node is at. */
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

  NodePart told(long atMicros) {
    return state == State.WAITING ? new NodePart(node, State.TAKING, taken, atMicros) : this;
  }

  NodePart heard(SnapshotProgress progress, long atMicros) {
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

  /** What its snapshot's end says of it counts, whatever it said itself. */
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

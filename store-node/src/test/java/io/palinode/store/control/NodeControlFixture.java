package io.palinode.store.control;

import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restored;

/** Steps and acknowledgements of a plan of three nodes. */
class NodeControlFixture {
  static final int NODES = 3;

  static ControlRecord restored(int node) {
    return step(1)
        .setRestored(Restored.newBuilder().setNode(node).setAttempt(1).setLast(true))
        .build();
  }

  static ControlRecord converge(int attempt) {
    return step(1).setConverge(Converge.newBuilder().setAttempt(attempt)).build();
  }

  static ControlRecord contributed(int node) {
    return step(1)
        .setContribution(Contribution.newBuilder().setNode(node).setAttempt(1).setLast(true))
        .build();
  }

  static ControlRecord joined(int node, long incarnation) {
    return step(0)
        .setNodeJoined(NodeJoined.newBuilder().setNode(node).setIncarnation(incarnation))
        .build();
  }

  static ControlRecord paused(int node, long incarnation) {
    return step(1).setPaused(Paused.newBuilder().setNode(node).setIncarnation(incarnation)).build();
  }

  static ControlRecord.Builder step(long epoch) {
    return ControlRecord.newBuilder().setEpoch(epoch);
  }
}

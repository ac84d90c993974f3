package io.palinode.orchestrator.rest.events;

import io.palinode.orchestrator.health.NodeState;
import io.palinode.orchestrator.history.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the nodes whose state or incarnation has changed between two looks. Not thread-safe. */
final class NodeChanges {
  private final Map<Integer, Key> present = new HashMap<>();

  private record Key(NodeState.Word word, long incarnation) {}

  /** The changes since the last call; none at the first one. */
  List<Change> next(List<NodeState> nodes) {
    List<Change> changes = new ArrayList<>();
    for (NodeState node : nodes) {
      Key now = new Key(node.word(), node.node().incarnation());
      Key before = present.put(node.node().node(), now);
      if (before != null && !before.equals(now)) {
        changes.add(new Change.OfNode(node));
      }
    }
    return changes;
  }
}

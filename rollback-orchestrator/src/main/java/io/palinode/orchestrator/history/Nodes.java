package io.palinode.orchestrator.history;

import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** What the nodes of the cluster last said. One writer, any readers. */
public final class Nodes {
  private final int nodes;
  private final ConcurrentSkipListMap<Integer, NodeStatus> statuses = new ConcurrentSkipListMap<>();

  public Nodes(int nodes) {
    this.nodes = nodes;
  }

  /** Any record of the control log, also one that had no effect. */
  public void read(ControlRecord record) {
    int node = ControlLogState.writer(record);
    if (node >= 0 && node < nodes) {
      statuses.compute(node, (n, known) -> NodeStatus.after(known, n, record));
    }
  }

  /** By number; nodes that never spoke are not there. */
  public List<NodeStatus> all() {
    return List.copyOf(statuses.values());
  }
}

package io.palinode.orchestrator.history;

import io.palinode.orchestrator.health.NodeStatus;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** The latest statuses of all nodes. One writer, any readers. */
public final class Nodes {
  private final int nodes;
  private final ConcurrentSkipListMap<Integer, NodeStatus> statuses = new ConcurrentSkipListMap<>();

  public Nodes(int nodes) {
    this.nodes = nodes;
  }

  /** Reads any record of the control log, including those without effect. */
  public void read(ControlRecord record) {
    int node = ControlLogState.writer(record);
    if (node >= 0 && node < nodes) {
      statuses.compute(node, (n, known) -> NodeStatus.after(known, n, record));
    }
  }

  /** The statuses by node; nodes without a record are absent. */
  public List<NodeStatus> all() {
    return List.copyOf(statuses.values());
  }
}

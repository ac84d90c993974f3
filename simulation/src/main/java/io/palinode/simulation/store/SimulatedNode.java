package io.palinode.simulation.store;

import io.palinode.store.node.NodeBinding;

/** One incarnation of a node: production's parts, and the store's requests. */
public interface SimulatedNode {
  NodeBinding binding();

  Answer answer(Request request);
}

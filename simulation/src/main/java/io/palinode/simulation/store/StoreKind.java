package io.palinode.simulation.store;

import io.palinode.store.node.NodeSettings;

/** The stores that can be simulated. */
public enum StoreKind {
  VOLDEMORT;

  public SimulatedStore of(Replication replication, NodeSettings settings) {
    return new VoldemortStore(replication, settings);
  }
}

package io.palinode.simulation.store;

import io.palinode.store.node.NodeSettings;

/** The stores that can be simulated. */
public enum StoreKind {
  VOLDEMORT {
    @Override
    public SimulatedStore of(Replication replication, NodeSettings settings) {
      return new VoldemortStore(replication, settings);
    }
  },
  LAST_WRITE_WINS {
    @Override
    public SimulatedStore of(Replication replication, NodeSettings settings) {
      return new LastWriteWinsStore(replication, settings);
    }
  };

  public abstract SimulatedStore of(Replication replication, NodeSettings settings);
}

package io.palinode.store.node;

import io.palinode.store.past.StoreSpec;
import java.util.List;

/**
 * One node of a cluster, and its stores.
 *
 * @param node its number, which is its index in every HVC
 * @param nodes how many the cluster has
 */
public record NodeSpec(int node, int nodes, List<StoreSpec> stores, NodeSettings settings) {
  public NodeSpec {
    stores = List.copyOf(stores);
    if (node < 0 || node >= nodes) {
      throw new IllegalArgumentException(
          "a node must be one of the cluster's, 0 to %d: node=%d".formatted(nodes - 1, node));
    }
  }

  public boolean keepsPast() {
    return settings.keepsPast();
  }
}

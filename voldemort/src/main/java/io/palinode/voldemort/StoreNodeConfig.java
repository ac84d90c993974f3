package io.palinode.voldemort;

import io.palinode.hvc.Epsilon;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.StoreSpec;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The configuration of a store node.
 *
 * @param nodeId one of the cluster's, which are numbered from 0 without a gap
 */
public record StoreNodeConfig(
    int nodeId, Cluster cluster, List<StoreDefinition> stores, NodeSettings settings) {
  private static final String SYSTEM_PREFIX = "voldsys$";

  public StoreNodeConfig {
    stores = List.copyOf(stores);
    requireDenseIds(cluster);
    if (nodeId < 0 || nodeId >= cluster.nodes().size()) {
      throw new IllegalArgumentException(
          "a node must be one of the cluster's, 0 to "
              + (cluster.nodes().size() - 1)
              + ": nodeId="
              + nodeId);
    }
    requireNames(stores);
  }

  public static StoreNodeConfig of(int nodeId, Cluster cluster, List<StoreDefinition> stores) {
    NodeSettings settings = NodeSettings.of(Epsilon.parse("10ms"));
    return new StoreNodeConfig(nodeId, cluster, stores, settings);
  }

  /** The same node, with other settings. */
  public StoreNodeConfig with(UnaryOperator<NodeSettings> change) {
    return new StoreNodeConfig(nodeId, cluster, stores, change.apply(settings));
  }

  /** The node as its store-neutral parts know it. */
  NodeSpec spec() {
    return new NodeSpec(nodeId, nodes(), stores.stream().map(this::spec).toList(), settings);
  }

  private StoreSpec spec(StoreDefinition store) {
    Ring ring = new Ring(cluster, store.replicationFactor());
    boolean isOnDisk = store.persistence() != Persistence.MEMORY;
    return new StoreSpec(store.name(), ring::preferenceList, VoldemortRules.INSTANCE, isOnDisk);
  }

  public int nodes() {
    return cluster.nodes().size();
  }

  /** A node's id is its index in every HVC. */
  private static void requireDenseIds(Cluster cluster) {
    for (Node node : cluster.nodes()) {
      if (node.id() >= cluster.nodes().size()) {
        throw new IllegalArgumentException(
            "the nodes of a cluster must be numbered from 0 without a gap: nodes="
                + cluster.nodes().size()
                + " id="
                + node.id());
      }
    }
  }

  private static void requireNames(List<StoreDefinition> stores) {
    Set<String> names = new HashSet<>(Set.of(NodeMeta.STORE, StoreNode.METADATA));
    for (StoreDefinition store : stores) {
      if (store.name().startsWith(SYSTEM_PREFIX)) {
        throw new IllegalArgumentException(
            "a store's name must not begin with %s, as Voldemort's own do: %s"
                .formatted(SYSTEM_PREFIX, store.name()));
      }
      if (!names.add(store.name())) {
        throw new IllegalArgumentException(
            "stores must have different names, other than %s and %s: %s"
                .formatted(NodeMeta.STORE, StoreNode.METADATA, store.name()));
      }
    }
  }
}

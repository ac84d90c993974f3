package io.palinode.voldemort;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.StoreSpec;
import io.palinode.store.restore.RestoreLimit;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The configuration of a store node.
 *
 * @param epsilon the bound on clock differences in the cluster
 * @param maxDrift a received clock further ahead than this is refused
 * @param convergenceWindow keys changed this long before a rollback's target also converge; longer
 *     than a copy of a write takes
 * @param writes the durability of an acknowledged write
 * @param past whether operations are stamped and replaced records are logged
 * @param restores the memory limit of a restore
 */
public record StoreNodeConfig(
    int nodeId,
    Cluster cluster,
    List<StoreDefinition> stores,
    Epsilon epsilon,
    Duration maxDrift,
    WindowLogConfig windowLog,
    Duration convergenceWindow,
    Durability writes,
    Past past,
    RestoreLimit restores) {
  /** Whether a node keeps the past. */
  public enum Past {
    /** Each operation has an HVC, and each write is in the window-log. */
    KEPT,
    /**
     * As in a stock node: no clocks and no log. So nothing can be watched, restored, or read in the
     * past. For comparison.
     */
    NONE
  }

  /**
   * Longer than a client's request timeout plus the clock drift. A client gives up a copy after 5
   * s.
   */
  public static final Duration CONVERGENCE_WINDOW_DEFAULT = Duration.ofSeconds(6);

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
    if (maxDrift.isNegative() || convergenceWindow.isNegative()) {
      throw new IllegalArgumentException(
          "durations must not be negative: maxDrift="
              + maxDrift
              + " convergenceWindow="
              + convergenceWindow);
    }
  }

  /** With the restore limit of a node that is alone in its process. */
  public StoreNodeConfig(
      int nodeId,
      Cluster cluster,
      List<StoreDefinition> stores,
      Epsilon epsilon,
      Duration maxDrift,
      WindowLogConfig windowLog,
      Duration convergenceWindow,
      Durability writes,
      Past past) {
    this(
        nodeId,
        cluster,
        stores,
        epsilon,
        maxDrift,
        windowLog,
        convergenceWindow,
        writes,
        past,
        RestoreLimit.ofHeap(1));
  }

  public static StoreNodeConfig of(int nodeId, Cluster cluster, List<StoreDefinition> stores) {
    return new StoreNodeConfig(
        nodeId,
        cluster,
        stores,
        Epsilon.parse("10ms"),
        HvcClock.MAX_DRIFT_DEFAULT,
        WindowLogConfig.DEFAULT,
        CONVERGENCE_WINDOW_DEFAULT,
        Durability.WRITTEN,
        Past.KEPT);
  }

  /** The same node, keeping {@code newPast}. */
  public StoreNodeConfig withPast(Past newPast) {
    return with(windowLog, newPast, restores);
  }

  /** The same node, with another restore limit. */
  public StoreNodeConfig withRestores(RestoreLimit limit) {
    return with(windowLog, past, limit);
  }

  /** The same node, with other bounds of the window-log in memory. */
  public StoreNodeConfig withWindowLog(WindowLogConfig bounds) {
    return with(bounds, past, restores);
  }

  private StoreNodeConfig with(WindowLogConfig newLog, Past newPast, RestoreLimit newLimit) {
    return new StoreNodeConfig(
        nodeId,
        cluster,
        stores,
        epsilon,
        maxDrift,
        newLog,
        convergenceWindow,
        writes,
        newPast,
        newLimit);
  }

  /** The stores as the store-neutral parts of a node know them. */
  List<StoreSpec> specs() {
    return stores.stream().map(this::spec).toList();
  }

  private StoreSpec spec(StoreDefinition store) {
    Ring ring = new Ring(cluster, store.replicationFactor());
    boolean isOnDisk = store.persistence() != Persistence.MEMORY;
    return new StoreSpec(store.name(), ring::preferenceList, VoldemortRules.INSTANCE, isOnDisk);
  }

  boolean keepsPast() {
    return past == Past.KEPT;
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

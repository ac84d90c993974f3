package io.palinode.voldemort.conformance;

import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The node that is tried.
 *
 * @param run begins all keys, so that another run finds none of them
 * @param routes whether it asks other nodes when that is wanted
 * @param elsewhere a key that the node does not hold; null where all stores are on all nodes
 */
record Target(
    InetSocketAddress address,
    String store,
    String run,
    boolean routes,
    @Nullable Elsewhere elsewhere,
    int patienceMs) {

  record Elsewhere(String store, String key) {}

  /** Asks the node what it is. */
  static Target of(
      InetSocketAddress address, String store, String run, boolean routes, int patienceMs)
      throws IOException {
    Cluster cluster = Cluster.parse("cluster.xml", metadata(address, "cluster.xml", patienceMs));
    List<StoreDefinition> stores =
        StoreDefinition.parse("stores.xml", metadata(address, "stores.xml", patienceMs));
    int node = Integer.parseInt(metadata(address, "node.id", patienceMs));
    return new Target(
        address, store, run, routes, elsewhere(cluster, stores, node, run), patienceMs);
  }

  private static @Nullable Elsewhere elsewhere(
      Cluster cluster, List<StoreDefinition> stores, int node, String run) {
    for (StoreDefinition store : stores) {
      Ring ring = new Ring(cluster, store.replicationFactor());
      for (int i = 0; i < 1_000; i++) {
        String key = run + "-elsewhere-" + i;
        if (!ring.preferenceList(Dialect.bytes(key)).contains(node)) {
          return new Elsewhere(store.name(), key);
        }
      }
    }
    return null;
  }

  private static String metadata(InetSocketAddress address, String key, int patienceMs)
      throws IOException {
    Dialect dialect = new VpDialect(1);
    try (Wire wire = new Wire(address, patienceMs)) {
      String agreed = wire.agree(dialect.protocol());
      if (!agreed.equals(Wire.ACCEPTED)) {
        throw new IOException(address + " does not speak vp1: " + agreed);
      }
      wire.send(dialect.request(new Call(Call.Op.GET, "metadata", key)));
      Answer answer = wire.read(dialect, Call.Op.GET);
      if (answer instanceof Answer.Versions versions && versions.found().size() == 1) {
        return versions.found().get(0).value();
      }
      throw new IOException(address + " does not return " + key + ": " + answer);
    }
  }
}

package io.palinode.voldemort.client;

import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.link.NodeLanes;
import io.palinode.voldemort.client.link.Transport;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.RefusedByFence;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.Versioned;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the nodes say about their cluster; where a client begins. */
record Metadata(Cluster cluster, List<StoreDefinition> stores) {
  private static final String CLUSTER = "cluster.xml";
  private static final String STORES = "stores.xml";

  /** The node's id is in the answer. */
  private static final int NODE_UNKNOWN = -1;

  /**
   * Asks the addresses in turn; the first that answers gives all. Throws {@link StoreException},
   * which names the failure of each one, and {@link RefusedByFence}.
   */
  static Metadata fetch(List<String> addresses, Transport transport) {
    Map<String, String> failures = new LinkedHashMap<>();
    for (String address : addresses) {
      NodeLanes connection = new NodeLanes(NODE_UNKNOWN, ClientConfig.address(address), transport);
      try {
        String cluster = read(connection, CLUSTER, transport);
        String stores = read(connection, STORES, transport);
        return new Metadata(
            Cluster.parse(CLUSTER + " of " + address, cluster),
            StoreDefinition.parse(STORES + " of " + address, stores));
      } catch (NodeException e) {
        failures.put(address, e.reason());
      } finally {
        connection.close();
      }
    }
    throw new StoreException(
        failures.entrySet().stream()
            .map(failure -> failure.getKey() + ": " + failure.getValue())
            .collect(Collectors.joining("; ", "no store node answered (", ")")));
  }

  private static String read(NodeLanes connection, String key, Transport transport) {
    long epoch = transport.session().view().epoch();
    List<Versioned> versions = Replicas.await(connection.send(Ask.metadata(key), epoch));
    if (versions.size() != 1) {
      throw new NodeException(
          NODE_UNKNOWN, key + " must have one version: versions=" + versions.size());
    }
    return versions.get(0).text();
  }
}

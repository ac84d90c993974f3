package io.palinode.voldemort.server;

import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.cluster.Node;
import java.nio.file.Path;

/**
 * A node, where its data lies, and where it listens.
 *
 * @param data the folder of the cluster's data; the node's own is {@code node-<i>} in it
 */
public record StoreServiceConfig(
    StoreNodeConfig node, Path data, BdbConfig bdb, ServerConfig server) {

  /** Listens at the address that cluster.xml gives the node. */
  public static StoreServiceConfig of(StoreNodeConfig node, Path data) {
    Node address = node.cluster().node(node.nodeId());
    return new StoreServiceConfig(
        node, data, BdbConfig.DEFAULT, ServerConfig.at(address.host(), address.socketPort()));
  }
}

package io.palinode.voldemort.server;

import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.cluster.Node;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A node with its data folder and its address.
 *
 * @param data the folder of the cluster's data; the node's own is {@code node-<i>} in it
 * @param windowLogDisk the bound for each store on disk; null: window-logs are in memory only
 */
public record StoreServiceConfig(
    StoreNodeConfig node,
    Path data,
    BdbConfig bdb,
    ServerConfig server,
    @Nullable DiskBound windowLogDisk) {

  /** Listens at the node's address in cluster.xml; window-logs in memory. */
  public static StoreServiceConfig of(StoreNodeConfig node, Path data) {
    Node address = node.cluster().node(node.nodeId());
    ServerConfig server = ServerConfig.at(address.host(), address.socketPort(), node.nodes());
    return new StoreServiceConfig(node, data, BdbConfig.DEFAULT, server, null);
  }

  boolean compactsPast() {
    return windowLogDisk != null && windowLogDisk.compaction() != null;
  }

  /** The same with window-logs on disk; null for none. */
  public StoreServiceConfig withWindowLogDisk(@Nullable DiskBound bound) {
    return new StoreServiceConfig(node, data, bdb, server, bound);
  }

  /**
   * The same over TLS, which the node closes; null for clear text. Clients and other nodes need a
   * certificate.
   */
  public StoreServiceConfig withTls(@Nullable NodeTls tls) {
    return new StoreServiceConfig(node, data, bdb, server.withTls(tls), windowLogDisk);
  }
}

package io.palinode.voldemort.cluster;

import java.util.List;

/**
 * A node of the cluster.
 *
 * @param partitions the partitions of the ring that this node is the first replica of
 */
public record Node(
    int id,
    String host,
    int httpPort,
    int socketPort,
    int adminPort,
    int zoneId,
    List<Integer> partitions) {
  private static final int PORT_MAX = 65_535;

  public Node {
    if (id < 0 || id > Short.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a node's id must be in [0, " + Short.MAX_VALUE + "]: id=" + id);
    }
    if (host.isBlank()) {
      throw new IllegalArgumentException("a node needs a host: id=" + id);
    }
    requirePort("http-port", httpPort);
    requirePort("socket-port", socketPort);
    requirePort("admin-port", adminPort);
    partitions = List.copyOf(partitions);
  }

  private static void requirePort(String name, int port) {
    if (port < 0 || port > PORT_MAX) {
      throw new IllegalArgumentException(name + " must be in [0, " + PORT_MAX + "]: " + port);
    }
  }
}

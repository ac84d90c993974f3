package io.palinode.voldemort.cluster;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What cluster.xml says: the nodes, and which partition of the ring is whose. */
public record Cluster(String name, List<Zone> zones, List<Node> nodes) {
  private static final int PARTITIONS_MAX = 1 << 20;

  /**
   * Throws {@link IllegalArgumentException} unless node ids differ and the partitions are 0 to P −
   * 1, each once.
   */
  public Cluster {
    zones = List.copyOf(zones);
    nodes = List.copyOf(nodes);
    Set<Integer> ids = new HashSet<>();
    BitSet seen = new BitSet();
    int count = 0;
    for (Node node : nodes) {
      if (!ids.add(node.id())) {
        throw new IllegalArgumentException("nodes must have different ids: twice id=" + node.id());
      }
      for (int partition : node.partitions()) {
        if (partition < 0 || partition >= PARTITIONS_MAX || seen.get(partition)) {
          throw new IllegalArgumentException(
              "a partition must be in [0, "
                  + PARTITIONS_MAX
                  + ") and belong to one node: partition="
                  + partition
                  + " node="
                  + node.id());
        }
        seen.set(partition);
        count++;
      }
    }
    if (count == 0 || seen.nextClearBit(0) != count) {
      throw new IllegalArgumentException(
          "partitions must be 0 to P-1 without a gap: missing=" + seen.nextClearBit(0));
    }
  }

  int partitionCount() {
    return nodes.stream().mapToInt(node -> node.partitions().size()).sum();
  }

  /** Throws {@link IllegalArgumentException} for an id that the cluster does not have. */
  public Node node(int id) {
    for (Node node : nodes) {
      if (node.id() == id) {
        return node;
      }
    }
    throw new IllegalArgumentException("no such node in cluster " + name + ": id=" + id);
  }

  /**
   * Reads cluster.xml. Throws {@link ClusterFormatException}, which names the line.
   *
   * @param file how errors call the document
   */
  public static Cluster parse(String file, String xml) {
    XmlElement root = XmlElement.parse(file, xml);
    root.requireName("cluster");
    return root.build(
        () ->
            new Cluster(
                root.required("name").text(),
                root.children("zone").stream().map(Cluster::zone).toList(),
                root.children("server").stream().map(Cluster::server).toList()));
  }

  private static Zone zone(XmlElement zone) {
    return new Zone(zone.requiredInt("zone-id"), zone.required("proximity-list").intList());
  }

  private static Node server(XmlElement server) {
    int socketPort = server.requiredInt("socket-port");
    return server.build(
        () ->
            new Node(
                server.requiredInt("id"),
                server.required("host").text(),
                server.requiredInt("http-port"),
                socketPort,
                server.intOr("admin-port", socketPort + 1),
                server.intOr("zone-id", 0),
                server.required("partitions").intList()));
  }

  /** This cluster as cluster.xml, in the element order that stock peers ask for. */
  public String toXml() {
    StringBuilder out = new StringBuilder("<cluster>\n");
    out.append("  <name>").append(XmlElement.escape(name)).append("</name>\n");
    for (Zone zone : zones) {
      out.append("  <zone>\n    <zone-id>").append(zone.id());
      out.append("</zone-id>\n    <proximity-list>").append(commas(zone.proximity()));
      out.append("</proximity-list>\n  </zone>\n");
    }
    for (Node node : nodes) {
      out.append("  <server>\n    <id>").append(node.id());
      out.append("</id>\n    <host>").append(XmlElement.escape(node.host()));
      out.append("</host>\n    <http-port>").append(node.httpPort());
      out.append("</http-port>\n    <socket-port>").append(node.socketPort());
      out.append("</socket-port>\n    <admin-port>").append(node.adminPort());
      out.append("</admin-port>\n    <partitions>").append(commas(node.partitions()));
      out.append("</partitions>\n    <zone-id>").append(node.zoneId());
      out.append("</zone-id>\n  </server>\n");
    }
    return out.append("</cluster>\n").toString();
  }

  private static String commas(List<Integer> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }
}

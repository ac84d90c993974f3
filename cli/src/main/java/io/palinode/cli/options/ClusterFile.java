package io.palinode.cli.options;

import io.palinode.terminal.Refusal;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Voldemort's cluster.xml, as nodes of ours can be. */
public final class ClusterFile {
  private ClusterFile() {}

  /** Throws {@link Refusal} unless the nodes' ids are 0, 1, 2, … */
  public static Cluster read(Path file) throws IOException {
    Cluster cluster = Cluster.parse(file.toString(), Files.readString(file));
    List<Integer> ids = cluster.nodes().stream().map(Node::id).sorted().toList();
    if (!ids.equals(IntStream.range(0, ids.size()).boxed().toList())) {
      throw new Refusal("the ids of the nodes of %s must be 0, 1, 2, …: %s".formatted(file, ids));
    }
    return cluster;
  }

  /** Throws {@link Refusal} when a node's host is not this machine. */
  public static void requireHere(Path file, Cluster cluster) throws IOException {
    for (Node node : cluster.nodes()) {
      if (!isHere(node.host())) {
        throw new Refusal(
            "node %d of %s is on %s, which is not this machine: 'palinode run node' starts one node where it is"
                .formatted(node.id(), file, node.host()));
      }
    }
  }

  private static boolean isHere(String host) throws IOException {
    try {
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (address.isLoopbackAddress()
            || address.isAnyLocalAddress()
            || NetworkInterface.getByInetAddress(address) != null) {
          return true;
        }
      }
    } catch (UnknownHostException unknown) {
      // Then it is not here.
    }
    return false;
  }
}

package io.palinode.cli.run;

import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds a node whose own name is a loopback address here, as some systems write it by default. */
final class OwnAddress {
  private OwnAddress() {}

  /**
   * What is wrong, in one sentence; null if nothing is, or the whole cluster is on this machine.
   *
   * @param isLoopback whether a host is a loopback address here
   */
  static @Nullable String problem(Cluster cluster, int id, Predicate<String> isLoopback) {
    String own = cluster.node(id).host();
    boolean isApart = cluster.nodes().stream().map(Node::host).anyMatch(isLoopback.negate());
    return isApart && isLoopback.test(own)
        ? ("no other machine reaches node %d: %s is a loopback address here;"
                + " correct it in /etc/hosts, then restart the node")
            .formatted(id, own)
        : null;
  }
}

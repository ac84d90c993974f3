package io.palinode.demo;

import io.palinode.voldemort.cluster.StoreDefinition;
import java.util.List;

/**
 * Where the application runs.
 *
 * @param addresses {@code host:port} of nodes to bootstrap from
 */
record Stage(List<String> addresses, int nodes, StoreDefinition store) {
  Stage {
    addresses = List.copyOf(addresses);
  }

  /** As tables show it: {@code N=3 R=1 W=1}. */
  String settings() {
    return "N=%d R=%d W=%d"
        .formatted(store.replicationFactor(), store.requiredReads(), store.requiredWrites());
  }
}

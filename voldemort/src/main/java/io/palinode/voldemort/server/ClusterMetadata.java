package io.palinode.voldemort.server;

import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What clients read from the store {@link StoreNode#METADATA} to find their way: cluster.xml,
 * stores.xml, the definition of a single store under its name, and what failure detectors probe.
 */
final class ClusterMetadata {
  private final Map<String, Versioned> valueByKey = new HashMap<>();

  ClusterMetadata(StoreNodeConfig config) {
    for (StoreDefinition store : config.stores()) {
      add(store.name(), StoreDefinition.toXml(List.of(store)));
    }
    add("cluster.xml", config.cluster().toXml());
    add("stores.xml", StoreDefinition.toXml(config.stores()));
    add("node.id", Integer.toString(config.nodeId()));
    add("server.state", "NORMAL_SERVER");
  }

  /** The one version of a key; null for a key that is not known. */
  @Nullable Versioned get(byte[] key) {
    return valueByKey.get(new String(key, StandardCharsets.UTF_8));
  }

  private void add(String key, String value) {
    valueByKey.put(key, Versioned.ofText(value, VectorClock.EMPTY));
  }
}

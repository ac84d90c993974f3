package io.palinode.voldemort.request;

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
 * The content of the store {@link StoreNode#METADATA}: cluster.xml, stores.xml, each store's
 * definition, and the keys that failure detectors probe. It also has the versions of these, which
 * clients poll. A node's cluster and stores are fixed, so no version ever grows. Immutable.
 */
final class ClusterMetadata {
  private static final String CLUSTER = "cluster.xml";
  private static final String STORES = "stores.xml";
  private static final String VERSIONS_KEY = "metadata-versions";
  private static final int VERSION = 0;

  private final Map<String, Versioned> valueByKey = new HashMap<>();
  private final Versioned versions;

  ClusterMetadata(StoreNodeConfig config) {
    StringBuilder versionLines = new StringBuilder();
    for (StoreDefinition store : config.stores()) {
      add(store.name(), StoreDefinition.toXml(List.of(store)));
      versionLines.append(propertyKey(store.name())).append('=').append(VERSION).append('\n');
    }
    add(CLUSTER, config.cluster().toXml());
    add(STORES, StoreDefinition.toXml(config.stores()));
    add("node.id", Integer.toString(config.nodeId()));
    add("server.state", "NORMAL_SERVER");
    add("slop.streaming.enabled", "true");
    add("partition.streaming.enabled", "true");
    add("readonly.fetch.enabled", "true");
    add("quota.enforcement.enabled", "true");
    add("rebalancing.steal.info.key", "[]");
    add("rebalancing.source.cluster.xml", "");
    add("rebalancing.source.stores.xml", "");
    for (String document : List.of(CLUSTER, STORES)) {
      versionLines.append(document).append('=').append(VERSION).append('\n');
    }
    versions = Versioned.ofText(versionLines.toString(), VectorClock.EMPTY);
  }

  /** The only version of a key; null for an unknown key. */
  @Nullable Versioned get(byte[] key) {
    return valueByKey.get(new String(key, StandardCharsets.UTF_8));
  }

  /** The only version under the key of all versions; none under another key. */
  List<Versioned> versions(byte[] key) {
    return new String(key, StandardCharsets.UTF_8).equals(VERSIONS_KEY)
        ? List.of(versions)
        : List.of();
  }

  private void add(String key, String value) {
    valueByKey.put(key, Versioned.ofText(value, VectorClock.EMPTY));
  }

  /** Escapes a name as in a properties file. */
  private static String propertyKey(String name) {
    return name.replaceAll("[\\\\ =:#!]", "\\\\$0");
  }
}

package voldemort.store.routed;

import voldemort.versioning.Versioned;

/** Shaped like Voldemort's class of this name; written for tests. */
public final class NodeValue<K, V> {
  private final int nodeId;
  private final K key;
  private final Versioned<V> value;

  public NodeValue(int nodeId, K key, Versioned<V> value) {
    this.nodeId = nodeId;
    this.key = key;
    this.value = value;
  }

  public int getNodeId() {
    return nodeId;
  }

  public K getKey() {
    return key;
  }

  public Versioned<V> getVersioned() {
    return value;
  }
}

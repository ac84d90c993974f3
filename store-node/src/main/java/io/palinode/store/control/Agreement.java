package io.palinode.store.control;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the keys, or key groups, whose replicas have not all published equal digests. Not
 * thread-safe.
 */
public final class Agreement<T> {
  private final Map<T, Digests> all = new LinkedHashMap<>();

  /** The digests of one key or group. */
  private static final class Digests {
    private final BitSet nodes = new BitSet();
    private long digest;
    private int replicas;
    private boolean differs;

    void add(int node, long newDigest, int newReplicas) {
      boolean isFirst = nodes.isEmpty();
      nodes.set(node);
      differs |= newDigest == 0 || (!isFirst && newDigest != digest);
      digest = newDigest;
      replicas = newReplicas;
    }

    boolean isSettled() {
      return !differs && nodes.cardinality() >= replicas;
    }
  }

  /** Adds a node's digest; 0 if the node published none. A node may publish it again. */
  public void add(int node, T one, long digest, int replicas) {
    all.computeIfAbsent(one, k -> new Digests()).add(node, digest, replicas);
  }

  /** In the order in which they were added first. */
  public List<T> unsettled() {
    return all.entrySet().stream()
        .filter(one -> !one.getValue().isSettled())
        .map(Map.Entry::getKey)
        .toList();
  }
}

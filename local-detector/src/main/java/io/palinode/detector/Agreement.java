package io.palinode.detector;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Of what nodes tell digests (keys, or groups of them), that of which not every replica has told
 * the same. Not thread-safe.
 */
public final class Agreement<T> {
  private final Map<T, Told> all = new LinkedHashMap<>();

  /** What was told of one. */
  private static final class Told {
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

  /** A node may tell of one again. {@code digest} is 0 when it tells nothing of what it has. */
  public void add(int node, T one, long digest, int replicas) {
    all.computeIfAbsent(one, k -> new Told()).add(node, digest, replicas);
  }

  /** In the order in which they were told first. */
  public List<T> unsettled() {
    return all.entrySet().stream()
        .filter(one -> !one.getValue().isSettled())
        .map(Map.Entry::getKey)
        .toList();
  }
}

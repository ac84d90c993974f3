package io.palinode.detector;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which of the keys that changed at any node need their versions exchanged: all but those of which
 * every replica has told the same record. Not thread-safe.
 */
public final class Agreement {
  private final Map<StoreKey, Told> keys = new LinkedHashMap<>();

  /** What was told of a key. */
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

  /** A node may tell of a key again. {@code digest} is 0 when it tells nothing of its record. */
  public void add(int node, StoreKey key, long digest, int replicas) {
    keys.computeIfAbsent(key, k -> new Told()).add(node, digest, replicas);
  }

  /** In the order in which they were told first. */
  public List<StoreKey> unsettled() {
    return keys.entrySet().stream()
        .filter(key -> !key.getValue().isSettled())
        .map(Map.Entry::getKey)
        .toList();
  }
}

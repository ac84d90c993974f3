package io.palinode.store.past;

import java.util.List;

/** Which nodes hold a key. All nodes of a cluster return the same nodes in the same order. */
@FunctionalInterface
public interface Placement {
  /** The replicas of a key, the preferred one first; each node once. */
  List<Integer> replicas(byte[] key);
}

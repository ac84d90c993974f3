package io.palinode.detection;

import java.util.List;

/**
 * What one replica of a variable has, absent or not.
 *
 * @param variable names the variable, equal on all replicas ("store/key")
 * @param digest equal when the siblings are; {@link #ABSENT} when there is none
 * @param replicas the nodes that hold a replica of the variable
 */
public record ReplicaState(String variable, long digest, List<Integer> replicas) {
  public static final long ABSENT = 0;

  public ReplicaState {
    replicas = List.copyOf(replicas);
  }
}

package io.palinode.voldemort.client;

import java.util.List;

/** In which order replicas are asked. Thread-safe. */
interface ReplicaOrder {
  ReplicaOrder PREFERENCE_LIST = preferenceList -> preferenceList;

  /** The same nodes, the one to ask first first. */
  List<Integer> order(List<Integer> preferenceList);

  default void answered(int node, long nanos) {}

  default void failed(int node) {}
}

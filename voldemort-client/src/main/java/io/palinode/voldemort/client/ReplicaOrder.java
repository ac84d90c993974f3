package io.palinode.voldemort.client;

import io.palinode.voldemort.client.link.LinkListener;
import java.util.List;

/** In which order replicas are asked, by what their connections observe. Thread-safe. */
interface ReplicaOrder extends LinkListener {
  ReplicaOrder PREFERENCE_LIST = preferenceList -> preferenceList;

  /** The same nodes, the one to ask first first. */
  List<Integer> order(List<Integer> preferenceList);
}

package io.palinode.voldemort.conformance;

import java.util.TreeMap;

/** A version as a client sends it: counters by node, and a time in ms. */
record Clock(TreeMap<Integer, Long> counters, long timestamp) {
  static final long TIME = 1_700_000_000_123L;

  /** Of nodes 0, 1, …; 0 stands for no entry. */
  static Clock of(long... counters) {
    TreeMap<Integer, Long> byNode = new TreeMap<>();
    for (int i = 0; i < counters.length; i++) {
      if (counters[i] > 0) {
        byNode.put(i, counters[i]);
      }
    }
    return new Clock(byNode, TIME);
  }

  Clock at(long newTimestamp) {
    return new Clock(counters, newTimestamp);
  }

  @Override
  public String toString() {
    return counters + "@" + timestamp;
  }
}

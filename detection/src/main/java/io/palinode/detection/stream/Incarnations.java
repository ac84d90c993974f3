package io.palinode.detection.stream;

import io.palinode.detection.CandidateId;

/** The newest incarnation of each node. */
final class Incarnations {
  private final long[] newest;

  Incarnations(int nodes) {
    newest = new long[nodes];
  }

  void restore(int node, long saved) {
    newest[node] = saved;
  }

  /** 0 before the node's first event. */
  long newest(int node) {
    return newest[node];
  }

  boolean isKnown(int node, long incarnation) {
    return incarnation <= newest[node];
  }

  /** Whether the candidate's node has begun a later incarnation. */
  boolean isStale(CandidateId id) {
    return id.incarnation() < newest[id.node()];
  }

  /** Returns whether the candidate is of a new incarnation. */
  boolean begin(CandidateId id) {
    boolean begins = !isKnown(id.node(), id.incarnation());
    newest[id.node()] = Math.max(newest[id.node()], id.incarnation());
    return begins;
  }
}

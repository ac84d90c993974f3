package io.palinode.detection.stream;

import io.palinode.detection.CandidateId;
import io.palinode.hvc.Hvc;

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

  /**
   * Returns the end of an interval of the incarnation before the one that began with {@code first}.
   */
  static Hvc rightBefore(Hvc first, Hvc start) {
    long[] entries = new long[first.nodes()];
    for (int node = 0; node < entries.length; node++) {
      entries[node] = first.get(node);
    }
    entries[first.owner()] = Math.max(first.own() - 1, start.own());
    return Hvc.of(first.owner(), entries);
  }
}

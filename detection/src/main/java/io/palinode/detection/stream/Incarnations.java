package io.palinode.detection.stream;

import io.palinode.detection.CandidateId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** The newest incarnation of each node. */
final class Incarnations {
  private final long[] newest;

  Incarnations(int nodes) {
    newest = new long[nodes];
  }

  void restore(List<Long> saved) {
    Arrays.setAll(newest, saved::get);
  }

  List<Long> toList() {
    return LongStream.of(newest).boxed().toList();
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

package io.palinode.detection.stream;

import io.palinode.detection.FirstReplica;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Retained;
import io.palinode.hvc.Hvc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a detector is made of, for {@link DetectorCodec}.
 *
 * @param nodes by node
 * @param retained in the order of clauses, terms, nodes and starts
 * @param rising of some of {@code retained}
 * @param holding of open ones of {@code retained}
 */
record DetectorState(
    long progress,
    long overflowed,
    List<LatestOfNode> nodes,
    List<Retained> retained,
    List<Finding> rising,
    FirstReplica replicas,
    List<Finding> holding) {

  /**
   * What was received of a node last.
   *
   * @param incarnation 0 before its first event
   * @param clock null before its first event
   */
  record LatestOfNode(long incarnation, @Nullable Hvc clock) {}
}

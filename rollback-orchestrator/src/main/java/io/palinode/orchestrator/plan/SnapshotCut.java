package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.SnapshotRef;

/**
 * A snapshot that is complete on all nodes.
 *
 * @param number of the run that counts
 * @param hlc its cut
 */
public record SnapshotCut(String id, long number, long hlc) {
  public SnapshotRef toMessage() {
    return SnapshotRef.newBuilder().setId(id).setNumber(number).build();
  }
}

package io.palinode.detector.binding;

import io.palinode.wire.v1.NodeReport;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a node observes of its clock and its storage.
 *
 * @param epsilonMicros bound on the difference of the nodes' clocks; null: infinite
 * @param maxDriftMicros a message with a clock further ahead is refused
 * @param clocksRefused how many were
 * @param refusedNode of the last one, the node whose clock it was
 * @param refusedAheadMicros of the last one, how far that clock was ahead
 * @param storageRefusedSinceMicros null: the storage takes records
 * @param storageRefusal why it does not
 * @param storageFreeBytes the least of the file systems that have its data; empty: unknown
 */
public record NodeHealth(
    @Nullable Long epsilonMicros,
    long maxDriftMicros,
    long clocksRefused,
    int refusedNode,
    long refusedAheadMicros,
    @Nullable Long storageRefusedSinceMicros,
    String storageRefusal,
    OptionalLong storageFreeBytes) {

  /** As a record of the control log has it. */
  public NodeReport toReport(int node, long incarnation) {
    NodeReport.Builder report =
        NodeReport.newBuilder()
            .setNode(node)
            .setIncarnation(incarnation)
            .setMaxDriftMicros(maxDriftMicros)
            .setClocksRefused(clocksRefused)
            .setRefusedNode(refusedNode)
            .setRefusedAheadMicros(refusedAheadMicros)
            .setStorageRefusal(storageRefusal);
    if (epsilonMicros != null) {
      report.setEpsilonMicros(epsilonMicros);
    }
    if (storageRefusedSinceMicros != null) {
      report.setStorageRefusedSinceMicros(storageRefusedSinceMicros);
    }
    storageFreeBytes.ifPresent(report::setStorageFreeBytes);
    return report.build();
  }
}

package io.palinode.store.kafka;

import io.palinode.store.order.PeerLeads;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.PeerClock;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Compares this node's clock with those of its peers, by the times in their reports. Thread-safe.
 */
final class PeerClocks {
  private final int node;
  private final LongSupplier epochMicros;
  // Guarded by this.
  private final PeerLeads leads = new PeerLeads();

  PeerClocks(int node, LongSupplier epochMicros) {
    this.node = node;
    this.epochMicros = epochMicros;
  }

  /**
   * The next record. Call it before the record's duties: their time would count as delay. Records
   * from before the start only have bounds that are too large.
   */
  void onStep(ControlRecord step) {
    NodeReport report = step.getNodeReport();
    if (step.hasNodeReport() && report.getNode() != node) {
      received(report.getNode(), step.getAtMicros());
    }
  }

  private synchronized void received(int peer, long sentMicros) {
    leads.received(peer, sentMicros, epochMicros.getAsLong(), System.nanoTime());
  }

  /** As a report of this node has them. */
  synchronized List<PeerClock> bounds() {
    return leads.at(System.nanoTime()).entrySet().stream()
        .limit(ControlRecordCheck.PEERS_MAX)
        .map(
            bound ->
                PeerClock.newBuilder()
                    .setNode(bound.getKey())
                    .setAheadMicrosMax(bound.getValue())
                    .build())
        .toList();
  }
}

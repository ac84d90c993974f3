package io.palinode.voldemort.client;

import java.util.concurrent.atomic.LongAdder;

/** Counters of one client, all since it was opened. Thread-safe. */
public final class ClientMetrics {
  final LongAdder operations = new LongAdder();
  final Tally copies = new Tally();
  final Tally repairs = new Tally();
  final LongAdder copyWaits = new LongAdder();
  final LongAdder obsoleteRetries = new LongAdder();
  final LongAdder pauseRetries = new LongAdder();
  final LongAdder reconnects = new LongAdder();
  final LongAdder requestsRefused = new LongAdder();
  final LongAdder rollbacks = new LongAdder();
  final LongAdder sequentialWrites = new LongAdder();
  final LongAdder staleReads = new LongAdder();
  final LongAdder staleReadsUnstated = new LongAdder();

  ClientMetrics() {}

  /** The outcomes of messages that no caller waits for. */
  static final class Tally {
    final LongAdder started = new LongAdder();
    final LongAdder done = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder failed = new LongAdder();

    long inFlight() {
      // Ends first: one that ends in between must not make this negative.
      long ended = done.sum() + dropped.sum() + failed.sum();
      return started.sum() - ended;
    }
  }

  /** Gets, puts and deletes that have succeeded. */
  public long operations() {
    return operations.sum();
  }

  /** Copies to further replicas that no node has answered yet. */
  public long copiesInFlight() {
    return copies.inFlight();
  }

  /** Copies given up because their epoch was over. */
  public long copiesDropped() {
    return copies.dropped.sum();
  }

  /** Copies that did not reach their node or were refused; that replica lags. */
  public long copiesFailed() {
    return copies.failed.sum();
  }

  /** Writes that had to wait because a node had too many copies in flight. */
  public long copyWaits() {
    return copyWaits.sum();
  }

  /** Puts done again because another writer was faster. */
  public long obsoleteRetries() {
    return obsoleteRetries.sum();
  }

  /** Calls and copies done again because a node was paused. */
  public long pauseRetries() {
    return pauseRetries.sum();
  }

  /** Connections opened to a node that had one before. */
  public long reconnects() {
    return reconnects.sum();
  }

  /** Versions that a read found missing on a node, and that were sent to it. */
  public long repairsStarted() {
    return repairs.started.sum();
  }

  /** Repairs that no node has answered yet. */
  public long repairsInFlight() {
    return repairs.inFlight();
  }

  /**
   * Repairs not made: their epoch was over, a write of the key is still to reach some node, or too
   * much is in flight to the node.
   */
  public long repairsDropped() {
    return repairs.dropped.sum();
  }

  /** Repairs that did not reach their node or were refused; that replica lags. */
  public long repairsFailed() {
    return repairs.failed.sum();
  }

  /** Reads that returned an older version than this client had written or read. */
  public long staleReads() {
    return staleReads.sum();
  }

  /** Those of {@link #staleReads} whose evidence did not reach the node. */
  public long staleReadsUnstated() {
    return staleReadsUnstated.sum();
  }

  /** Requests not sent because too many to their node had no answer yet. */
  public long requestsRefused() {
    return requestsRefused.sum();
  }

  public long rollbacks() {
    return rollbacks.sum();
  }

  /** Writes that waited for more replicas than W, because the cluster asked for it. */
  public long sequentialWrites() {
    return sequentialWrites.sum();
  }
}

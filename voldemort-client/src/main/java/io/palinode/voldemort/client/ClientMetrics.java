package io.palinode.voldemort.client;

import java.util.concurrent.atomic.LongAdder;

/** Counters of one client, all since it was opened. Thread-safe. */
public final class ClientMetrics {
  final LongAdder operations = new LongAdder();
  final LongAdder copiesStarted = new LongAdder();
  final LongAdder copiesDone = new LongAdder();
  final LongAdder copiesDropped = new LongAdder();
  final LongAdder copiesFailed = new LongAdder();
  final LongAdder copyWaits = new LongAdder();
  final LongAdder obsoleteRetries = new LongAdder();
  final LongAdder pauseRetries = new LongAdder();
  final LongAdder reconnects = new LongAdder();
  final LongAdder requestsRefused = new LongAdder();
  final LongAdder rollbacks = new LongAdder();
  final LongAdder sequentialWrites = new LongAdder();

  ClientMetrics() {}

  /** Gets, puts and deletes that have succeeded. */
  public long operations() {
    return operations.sum();
  }

  /** Copies to further replicas that no node has answered yet. */
  public long copiesInFlight() {
    // Ends first: a copy that ends in between must not make this negative.
    long ended = copiesDone.sum() + copiesDropped.sum() + copiesFailed.sum();
    return copiesStarted.sum() - ended;
  }

  /** Copies given up because their epoch was over. */
  public long copiesDropped() {
    return copiesDropped.sum();
  }

  /** Copies that did not reach their node or were refused; that replica lags. */
  public long copiesFailed() {
    return copiesFailed.sum();
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

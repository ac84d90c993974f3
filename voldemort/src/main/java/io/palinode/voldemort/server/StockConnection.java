package io.palinode.voldemort.server;

import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;

/**
 * Counts one connection, once its client has sent a request without a clock. For one thread at a
 * time.
 */
final class StockConnection {
  private final NodeCounters counters;
  private boolean isCounted;

  StockConnection(NodeCounters counters) {
    this.counters = counters;
  }

  void known() {
    if (!isCounted) {
      isCounted = true;
      counters.add(NodeCounter.STOCK_CONNECTIONS);
    }
  }

  void ended() {
    if (isCounted) {
      isCounted = false;
      counters.add(NodeCounter.STOCK_CONNECTIONS_ENDED);
    }
  }
}

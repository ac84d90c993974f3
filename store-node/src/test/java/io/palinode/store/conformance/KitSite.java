package io.palinode.store.conformance;

import io.palinode.hvc.Epsilon;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.node.NodeSettings;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * What the kit gives to a node that opens.
 *
 * @param node its number, below {@code nodes}
 * @param epochMicros its physical clock
 * @param medium wraps the engine that keeps the node's records, so that a commit can be cut off
 */
public record KitSite(
    int node, int nodes, LongSupplier epochMicros, UnaryOperator<StorageEngine> medium) {
  private static final Duration WHOLE_HISTORY = Duration.ofDays(1);

  /** The settings of each node. All keys that a history changes converge. */
  public NodeSettings settings() {
    return NodeSettings.of(Epsilon.parse("10ms")).withConvergenceWindow(WHOLE_HISTORY);
  }
}

package io.palinode.agent.stock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The engines of a server that the agent hooks.
 *
 * @param own marks the agent's calls of these engines, which no hook follows
 * @param hints the engine of the server's hints; null if it keeps none
 */
public record WatchedEngines(
    StockTypes types, List<StockEngine> engines, OwnCalls own, @Nullable Object hints) {
  public WatchedEngines {
    engines = List.copyOf(engines);
  }

  /** The watched store of an engine; null for other engines. */
  public @Nullable StockEngine of(Object engine) {
    // By identity: engines call any two of them equal.
    for (StockEngine each : engines) {
      if (each.is(engine)) {
        return each;
      }
    }
    return null;
  }
}

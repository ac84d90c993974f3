package io.palinode.cli;

import io.palinode.cli.terminal.Refusal;
import io.palinode.voldemort.client.PastStore.StockClients;
import io.palinode.voldemort.client.StoreClient;
import java.util.Optional;

/** How many clients tell the nodes no clock, and what that costs, in one line. */
final class StockClientsLine {
  private StockClientsLine() {}

  /** Nothing when there are none, or when the nodes do not say. */
  static Optional<String> of(StoreAccess access) {
    try {
      return text(access.useClient(StockClientsLine::ofAllNodes));
    } catch (Refusal nodesDoNotAnswer) {
      return Optional.empty();
    }
  }

  private static StockClients ofAllNodes(StoreClient client) {
    String anyStore = client.stores().get(0).name();
    long connections = 0;
    long writes = 0;
    for (int node = 0; node < client.cluster().nodes().size(); node++) {
      StockClients told = client.store(anyStore).past().reachAt(node).stock();
      connections += told.connections();
      writes += told.writes();
    }
    return new StockClients(connections, writes);
  }

  static Optional<String> text(StockClients all) {
    if (all.connections() == 0 && all.writes() == 0) {
      return Optional.empty();
    }
    return Optional.of(
        "%d connections of stock clients, %d writes: told without a clock, so what one of them did on two nodes within epsilon is not ordered, and they hear of no rollback"
            .formatted(all.connections(), all.writes()));
  }
}

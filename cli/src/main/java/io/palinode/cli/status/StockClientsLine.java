package io.palinode.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import io.palinode.cli.store.StoreAccess;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.PastStore.StockClients;
import io.palinode.voldemort.client.StoreClient;
import java.util.Optional;

/** Number of clients that send no clock, and the effect of that. */
final class StockClientsLine {
  private static final String COST =
      "published without a client clock: operations of one such client on two nodes within epsilon have no order, and no rollback notifies it";

  private StockClientsLine() {}

  /** Nothing when there are none, or when the nodes do not say. */
  static Optional<String> of(StoreAccess access) {
    return reported(access).flatMap(StockClientsLine::text);
  }

  /**
   * The same for programs: {@code connections}, {@code writes}, and in {@code cost} what they cost,
   * null when there are none. Null altogether when the nodes do not say.
   */
  static JsonNode json(StoreAccess access) {
    return reported(access).map(StockClientsLine::json).orElse(NullNode.getInstance());
  }

  static JsonNode json(StockClients all) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("connections", all.connections())
        .put("writes", all.writes())
        .put("cost", isNone(all) ? null : COST);
  }

  private static Optional<StockClients> reported(StoreAccess access) {
    try {
      return Optional.of(access.useClient(StockClientsLine::ofAllNodes));
    } catch (Refusal nodesDoNotAnswer) {
      return Optional.empty();
    }
  }

  private static StockClients ofAllNodes(StoreClient client) {
    String anyStore = client.stores().get(0).name();
    long connections = 0;
    long writes = 0;
    for (int node = 0; node < client.cluster().nodes().size(); node++) {
      StockClients stock = client.store(anyStore).past().reachAt(node).stock();
      connections += stock.connections();
      writes += stock.writes();
    }
    return new StockClients(connections, writes);
  }

  static Optional<String> text(StockClients all) {
    return isNone(all)
        ? Optional.empty()
        : Optional.of(
            "%d connections of stock clients, %d writes: %s"
                .formatted(all.connections(), all.writes(), COST));
  }

  private static boolean isNone(StockClients all) {
    return all.connections() == 0 && all.writes() == 0;
  }
}

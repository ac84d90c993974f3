package io.palinode.detection.shiviz;

import io.palinode.detection.shiviz.EventClocks.Counted;
import io.palinode.detection.shiviz.EventClocks.Request;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Adds clients to clocks that count the events of nodes. A client has one event for each request.
 * It knows of its earlier requests only: what a client knew is in no record. Not thread-safe.
 */
final class ClientClocks {
  /** What each event of a node knows of clients, by node. */
  private final List<List<Map<String, Integer>>> known = new ArrayList<>();

  private final Map<String, Integer> requests = new HashMap<>();
  private final Map<String, Sent> byIdentity = new HashMap<>();

  ClientClocks(int nodes) {
    for (int node = 0; node < nodes; node++) {
      known.add(new ArrayList<>());
    }
  }

  /** The number of a request among those of its client. */
  record Sent(String client, int number) {}

  /**
   * An event with the requests that it knows of.
   *
   * @param sent its own request, if no earlier event had it; else null
   * @param clients the number of requests of each client
   */
  record Known(@Nullable Sent sent, Map<String, Integer> clients) {}

  /** For each event, in the order of {@link EventClocks#count}. */
  Known next(Counted counted) {
    Map<String, Integer> clients = new TreeMap<>();
    int[] clock = counted.clock();
    for (int node = 0; node < clock.length; node++) {
      // Clocks that went back may name events that are later here.
      int named = node == counted.node() ? clock[node] - 1 : clock[node];
      int before = Math.min(named, known.get(node).size());
      if (before > 0) {
        known.get(node).get(before - 1).forEach((client, n) -> clients.merge(client, n, Math::max));
      }
    }
    Request request = counted.event().request();
    Sent earlier = request == null ? null : byIdentity.get(request.identity());
    Sent sent = request == null ? null : earlier == null ? send(request) : earlier;
    if (sent != null) {
      clients.merge(sent.client(), sent.number(), Math::max);
    }
    known.get(counted.node()).add(clients);
    return new Known(earlier == null ? sent : null, clients);
  }

  private Sent send(Request request) {
    Sent sent = new Sent(request.client(), requests.merge(request.client(), 1, Integer::sum));
    if (!request.identity().isEmpty()) {
      byIdentity.put(request.identity(), sent);
    }
    return sent;
  }
}

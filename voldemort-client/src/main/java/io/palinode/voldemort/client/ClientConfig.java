package io.palinode.voldemort.client;

import java.time.Duration;
import java.util.List;

/**
 * How a client reaches its cluster.
 *
 * @param bootstrap {@code host:port} of one or more nodes; the first that answers gives cluster.xml
 *     and stores.xml
 * @param clientId rides along with every request; names the writer in violations
 * @param region for {@link Routing#NEAREST_FIRST}: the node that is near until measured latencies
 *     say otherwise; -1: none
 */
public record ClientConfig(
    List<String> bootstrap,
    String clientId,
    Routing routing,
    int region,
    Duration requestTimeout,
    LinkModel links) {

  public ClientConfig {
    bootstrap = List.copyOf(bootstrap);
  }

  public static ClientConfig of(List<String> bootstrap, String clientId) {
    return new ClientConfig(
        bootstrap, clientId, Routing.PREFERENCE_LIST, -1, Duration.ofSeconds(5), LinkModel.DIRECT);
  }

  public ClientConfig withRouting(Routing newRouting, int newRegion) {
    return new ClientConfig(bootstrap, clientId, newRouting, newRegion, requestTimeout, links);
  }

  public ClientConfig withLinks(LinkModel newLinks) {
    return new ClientConfig(bootstrap, clientId, routing, region, requestTimeout, newLinks);
  }

  /** In which order replicas are asked. */
  public enum Routing {
    /** The stock order: the key's first node on the ring first. */
    PREFERENCE_LIST,
    /** The replica with the least measured latency first. */
    NEAREST_FIRST
  }
}

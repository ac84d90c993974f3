package io.palinode.voldemort.client;

import io.palinode.voldemort.protocol.Frames;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * How a client reaches its cluster.
 *
 * @param bootstrap {@code host:port} of one or more nodes; the first that answers gives cluster.xml
 *     and stores.xml
 * @param clientId rides along with every request; names the writer in violations; at most {@value
 *     Frames#CLIENT_ID_MAX} characters
 * @param region for {@link Routing#NEAREST_FIRST}: the node that is near until measured latencies
 *     say otherwise; -1: none
 * @param requestTimeout how long one node has for an answer; a pause of the cluster is waited out
 *     for six times as long
 * @param links what lies between the client and the nodes; bootstrap does not pass through it,
 *     since the nodes are not known yet
 * @param connectionsMax to each node that takes one request at a time on a connection, as stock
 *     nodes do; others have one connection
 */
public record ClientConfig(
    List<String> bootstrap,
    String clientId,
    Routing routing,
    int region,
    Duration requestTimeout,
    LinkModel links,
    int connectionsMax) {

  private static final int CONNECTIONS_DEFAULT = 4;
  private static final String SCHEME = "tcp://";

  public ClientConfig {
    bootstrap = List.copyOf(bootstrap);
    if (bootstrap.isEmpty()) {
      throw new IllegalArgumentException("a client needs a bootstrap address: bootstrap=[]");
    }
    bootstrap.forEach(ClientConfig::address);
    if (clientId.length() > Frames.CLIENT_ID_MAX) {
      throw new IllegalArgumentException(
          "clientId must be at most %d characters: length=%d clientId=%s…"
              .formatted(Frames.CLIENT_ID_MAX, clientId.length(), clientId.substring(0, 32)));
    }
    if (connectionsMax < 1) {
      throw new IllegalArgumentException(
          "connectionsMax must be at least 1: connectionsMax=" + connectionsMax);
    }
    if (requestTimeout.toMillis() < 1) {
      throw new IllegalArgumentException(
          "requestTimeout must be at least 1 ms: requestTimeout=" + requestTimeout);
    }
  }

  /**
   * Throws {@link IllegalArgumentException} unless it is {@code host:port}, after {@code tcp://} if
   * it is written as in Voldemort's own settings. Looks nothing up.
   */
  static InetSocketAddress address(String address) {
    String hostAndPort = address.startsWith(SCHEME) ? address.substring(SCHEME.length()) : address;
    int colon = hostAndPort.lastIndexOf(':');
    try {
      if (colon > 0) {
        int port = Integer.parseInt(hostAndPort.substring(colon + 1));
        return InetSocketAddress.createUnresolved(hostAndPort.substring(0, colon), port);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("an address must be host:port: " + hostAndPort, e);
    }
    throw new IllegalArgumentException("an address must be host:port: " + hostAndPort);
  }

  /** How long a call waits for a paused cluster. */
  Duration pauseMax() {
    return requestTimeout.multipliedBy(6);
  }

  public static ClientConfig of(List<String> bootstrap, String clientId) {
    return new ClientConfig(
        bootstrap,
        clientId,
        Routing.PREFERENCE_LIST,
        -1,
        Duration.ofSeconds(5),
        LinkModel.DIRECT,
        CONNECTIONS_DEFAULT);
  }

  public ClientConfig withRouting(Routing newRouting, int newRegion) {
    return new ClientConfig(
        bootstrap, clientId, newRouting, newRegion, requestTimeout, links, connectionsMax);
  }

  public ClientConfig withLinks(LinkModel newLinks) {
    return new ClientConfig(
        bootstrap, clientId, routing, region, requestTimeout, newLinks, connectionsMax);
  }

  public ClientConfig withRequestTimeout(Duration newTimeout) {
    return new ClientConfig(
        bootstrap, clientId, routing, region, newTimeout, links, connectionsMax);
  }

  public ClientConfig withConnectionsMax(int newMax) {
    return new ClientConfig(bootstrap, clientId, routing, region, requestTimeout, links, newMax);
  }

  /** In which order replicas are asked. */
  public enum Routing {
    /** The stock order: the key's first node on the ring first. */
    PREFERENCE_LIST,
    /** The replica with the least measured latency first. */
    NEAREST_FIRST
  }
}

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
 * @param preferredTimeout how long an operation that has its required answers waits for its
 *     preferred ones ({@code preferred-reads}, {@code preferred-writes} of a store); 5 s by
 *     default, as in Voldemort's own client
 * @param readRepair whether a node that a read found behind is sent what it lacks, in the
 *     background; only where {@code preferred-reads} is above 1, so that several are asked
 */
public record ClientConfig(
    List<String> bootstrap,
    String clientId,
    Routing routing,
    int region,
    Duration requestTimeout,
    LinkModel links,
    int connectionsMax,
    Duration preferredTimeout,
    boolean readRepair) {

  private static final int CONNECTIONS_DEFAULT = 4;
  private static final Duration PREFERRED_TIMEOUT_DEFAULT = Duration.ofSeconds(5);
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
    if (preferredTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "preferredTimeout must not be negative: preferredTimeout=" + preferredTimeout);
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
        CONNECTIONS_DEFAULT,
        PREFERRED_TIMEOUT_DEFAULT,
        true);
  }

  public ClientConfig withClientId(String newId) {
    return new ClientConfig(
        bootstrap,
        newId,
        routing,
        region,
        requestTimeout,
        links,
        connectionsMax,
        preferredTimeout,
        readRepair);
  }

  public ClientConfig withRouting(Routing newRouting, int newRegion) {
    return new ClientConfig(
        bootstrap,
        clientId,
        newRouting,
        newRegion,
        requestTimeout,
        links,
        connectionsMax,
        preferredTimeout,
        readRepair);
  }

  public ClientConfig withLinks(LinkModel newLinks) {
    return new ClientConfig(
        bootstrap,
        clientId,
        routing,
        region,
        requestTimeout,
        newLinks,
        connectionsMax,
        preferredTimeout,
        readRepair);
  }

  public ClientConfig withRequestTimeout(Duration newTimeout) {
    return new ClientConfig(
        bootstrap,
        clientId,
        routing,
        region,
        newTimeout,
        links,
        connectionsMax,
        preferredTimeout,
        readRepair);
  }

  public ClientConfig withConnectionsMax(int newMax) {
    return new ClientConfig(
        bootstrap,
        clientId,
        routing,
        region,
        requestTimeout,
        links,
        newMax,
        preferredTimeout,
        readRepair);
  }

  public ClientConfig withPreferredTimeout(Duration newTimeout) {
    return new ClientConfig(
        bootstrap,
        clientId,
        routing,
        region,
        requestTimeout,
        links,
        connectionsMax,
        newTimeout,
        readRepair);
  }

  public ClientConfig withReadRepair(boolean on) {
    return new ClientConfig(
        bootstrap,
        clientId,
        routing,
        region,
        requestTimeout,
        links,
        connectionsMax,
        preferredTimeout,
        on);
  }

  /** In which order replicas are asked. */
  public enum Routing {
    /** The stock order: the key's first node on the ring first. */
    PREFERENCE_LIST,
    /** The replica with the least measured latency first. */
    NEAREST_FIRST
  }
}

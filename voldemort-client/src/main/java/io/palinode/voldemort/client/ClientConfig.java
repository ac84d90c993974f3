package io.palinode.voldemort.client;

import io.palinode.voldemort.client.link.LinkModel;
import io.palinode.voldemort.client.link.NodeLinks;
import io.palinode.voldemort.protocol.Frames;
import java.net.InetSocketAddress;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * How a client reaches its cluster.
 *
 * @param bootstrap {@code host:port} of one or more nodes; the first that answers gives cluster.xml
 *     and stores.xml
 * @param clientId rides along with every request; names the writer in violations; at most {@value
 *     Frames#CLIENT_ID_MAX} characters
 * @param preferredTimeout how long an operation that has its required answers waits for its
 *     preferred ones ({@code preferred-reads}, {@code preferred-writes} of a store); 5 s by
 *     default, as in Voldemort's own client
 * @param readRepair whether a node that a read found behind is sent what it lacks, in the
 *     background; only where {@code preferred-reads} is above 1, so that several are asked
 * @param seenKeysMax the number of keys of which the client remembers the versions that it has read
 *     or written, so that nodes find lost updates among its puts; 0 by default: none
 * @param readKeysMax the number of keys for which the client looks for reads that return an older
 *     version than it has written or read; 0 by default: none
 */
public record ClientConfig(
    List<String> bootstrap,
    String clientId,
    Routing routing,
    NodeLinks links,
    Duration preferredTimeout,
    boolean readRepair,
    int seenKeysMax,
    int readKeysMax) {

  private static final Duration PREFERRED_TIMEOUT_DEFAULT = Duration.ofSeconds(5);
  private static final String CLEAR = "tcp://";
  private static final String TLS = "tls://";

  public ClientConfig {
    bootstrap = List.copyOf(bootstrap);
    if (bootstrap.isEmpty()) {
      throw new IllegalArgumentException("a client needs a bootstrap address: bootstrap=[]");
    }
    bootstrap.forEach(ClientConfig::address);
    long secured = bootstrap.stream().filter(address -> address.startsWith(TLS)).count();
    if (secured != 0 && secured != bootstrap.size()) {
      throw new IllegalArgumentException(
          "either all addresses begin with tls:// or none: bootstrap=" + bootstrap);
    }
    if (clientId.length() > Frames.CLIENT_ID_MAX) {
      throw new IllegalArgumentException(
          "clientId must be at most %d characters: length=%d clientId=%s…"
              .formatted(Frames.CLIENT_ID_MAX, clientId.length(), clientId.substring(0, 32)));
    }
    if (preferredTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "preferredTimeout must not be negative: preferredTimeout=" + preferredTimeout);
    }
    if (seenKeysMax < 0) {
      throw new IllegalArgumentException(
          "seenKeysMax must not be negative: seenKeysMax=" + seenKeysMax);
    }
    if (readKeysMax < 0) {
      throw new IllegalArgumentException(
          "readKeysMax must not be negative: readKeysMax=" + readKeysMax);
    }
  }

  /**
   * Throws {@link IllegalArgumentException} unless it is {@code host:port}, perhaps after {@code
   * tcp://}, as in Voldemort's own settings, or {@code tls://}. Looks nothing up.
   */
  static InetSocketAddress address(String address) {
    String hostAndPort =
        address.startsWith(CLEAR) || address.startsWith(TLS)
            ? address.substring(TLS.length())
            : address;
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

  /** With addresses that begin with {@code tls://}, it trusts the authorities that Java trusts. */
  public static ClientConfig of(List<String> bootstrap, String clientId) {
    ClientConfig config =
        new ClientConfig(
            bootstrap,
            clientId,
            Routing.PREFERENCE_LIST,
            NodeLinks.DEFAULT,
            PREFERRED_TIMEOUT_DEFAULT,
            true,
            0,
            0);
    return config.usesTls() ? config.withTls(javasOwn()) : config;
  }

  private static SSLContext javasOwn() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java has TLS", e);
    }
  }

  /** Whether the addresses begin with {@code tls://}. */
  public boolean usesTls() {
    return bootstrap.get(0).startsWith(TLS);
  }

  /** The authorities to trust, and the client's own certificate if nodes ask for one. */
  public ClientConfig withTls(SSLContext tls) {
    return withLinks(links.withTls(tls));
  }

  public ClientConfig withClientId(String newId) {
    return new ClientConfig(
        bootstrap, newId, routing, links, preferredTimeout, readRepair, seenKeysMax, readKeysMax);
  }

  public ClientConfig withRouting(Routing newRouting) {
    return new ClientConfig(
        bootstrap,
        clientId,
        newRouting,
        links,
        preferredTimeout,
        readRepair,
        seenKeysMax,
        readKeysMax);
  }

  public ClientConfig withLinks(LinkModel model) {
    return withLinks(links.withModel(model));
  }

  /** Calls then wait for a paused cluster for six times as long. */
  public ClientConfig withRequestTimeout(Duration newTimeout) {
    return withLinks(links.withRequestTimeout(newTimeout));
  }

  /** How long calls wait for a paused cluster. */
  public ClientConfig withPauseMax(Duration newMax) {
    return withLinks(links.withPauseMax(newMax));
  }

  public ClientConfig withConnectionsMax(int newMax) {
    return withLinks(links.withConnectionsMax(newMax));
  }

  private ClientConfig withLinks(NodeLinks newLinks) {
    return new ClientConfig(
        bootstrap,
        clientId,
        routing,
        newLinks,
        preferredTimeout,
        readRepair,
        seenKeysMax,
        readKeysMax);
  }

  public ClientConfig withPreferredTimeout(Duration newTimeout) {
    return new ClientConfig(
        bootstrap, clientId, routing, links, newTimeout, readRepair, seenKeysMax, readKeysMax);
  }

  public ClientConfig withReadRepair(boolean on) {
    return new ClientConfig(
        bootstrap, clientId, routing, links, preferredTimeout, on, seenKeysMax, readKeysMax);
  }

  /**
   * Remembers, for so many keys, the versions that the client has read or written, and sends their
   * clocks with each put of the key. Once there are more keys, puts of the others are not judged.
   */
  public ClientConfig withSeenKeys(int max) {
    return new ClientConfig(
        bootstrap, clientId, routing, links, preferredTimeout, readRepair, max, readKeysMax);
  }

  /**
   * Looks, for so many keys, for reads that return an older version than this client has written or
   * read. Such a read takes one more request, in which the node receives the evidence. Beyond that
   * number, the key least recently used is forgotten.
   */
  public ClientConfig withStaleReads(int keysMax) {
    return new ClientConfig(
        bootstrap, clientId, routing, links, preferredTimeout, readRepair, seenKeysMax, keysMax);
  }

  /**
   * In which order replicas are asked.
   *
   * @param nearestFirst the replica with the least measured latency first; otherwise the stock
   *     order, the key's first node on the ring first
   * @param region the node that is near until measured latencies say otherwise; -1: none
   */
  public record Routing(boolean nearestFirst, int region) {
    public static final Routing PREFERENCE_LIST = new Routing(false, -1);

    /** The replica with the least measured latency first, at the start the one of the region. */
    public static Routing nearestFirst(int region) {
      return new Routing(true, region);
    }

    ReplicaOrder order() {
      return nearestFirst ? new NearestFirst(region) : ReplicaOrder.PREFERENCE_LIST;
    }
  }
}

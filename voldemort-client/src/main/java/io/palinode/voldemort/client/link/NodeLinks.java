package io.palinode.voldemort.client.link;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How a client reaches each node.
 *
 * @param model what lies between the client and the nodes; bootstrap does not pass through it,
 *     since the nodes are not known yet
 * @param requestTimeout how long one node has for an answer; a pause of the cluster is waited out
 *     for six times as long
 * @param connectionsMax to each node that takes one request at a time on a connection, as stock
 *     nodes do; others have one connection
 * @param tls for connections to nodes with TLS, whose names are checked; null: clear text
 */
public record NodeLinks(
    LinkModel model, Duration requestTimeout, int connectionsMax, @Nullable SSLContext tls) {
  private static final int CONNECTIONS_DEFAULT = 4;
  private static final int PAUSE_FACTOR = 6;

  public static final NodeLinks DEFAULT =
      new NodeLinks(LinkModel.DIRECT, Duration.ofSeconds(5), CONNECTIONS_DEFAULT, null);

  public NodeLinks {
    if (connectionsMax < 1) {
      throw new IllegalArgumentException(
          "connectionsMax must be at least 1: connectionsMax=" + connectionsMax);
    }
    if (requestTimeout.toMillis() < 1) {
      throw new IllegalArgumentException(
          "requestTimeout must be at least 1 ms: requestTimeout=" + requestTimeout);
    }
  }

  /** How long a call waits for a paused cluster. */
  public Duration pauseMax() {
    return requestTimeout.multipliedBy(PAUSE_FACTOR);
  }

  /** One connection, without a network between, for what has no place in it. */
  public NodeLinks forBootstrap() {
    return new NodeLinks(LinkModel.DIRECT, requestTimeout, 1, tls);
  }

  public NodeLinks withModel(LinkModel newModel) {
    return new NodeLinks(newModel, requestTimeout, connectionsMax, tls);
  }

  public NodeLinks withRequestTimeout(Duration newTimeout) {
    return new NodeLinks(model, newTimeout, connectionsMax, tls);
  }

  public NodeLinks withConnectionsMax(int newMax) {
    return new NodeLinks(model, requestTimeout, newMax, tls);
  }

  public NodeLinks withTls(@Nullable SSLContext newTls) {
    return new NodeLinks(model, requestTimeout, connectionsMax, newTls);
  }
}

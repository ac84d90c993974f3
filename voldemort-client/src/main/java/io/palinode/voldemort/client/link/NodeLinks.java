package io.palinode.voldemort.client.link;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How a client reaches each node.
 *
 * @param model what lies between the client and the nodes; bootstrap does not pass through it,
 *     since the nodes are not known yet
 * @param requestTimeout how long one node has for an answer
 * @param pauseMax how long a call waits for a paused cluster
 * @param connectionsMax to each node that takes one request at a time on a connection, as stock
 *     nodes do; others have one connection
 * @param tls for connections to nodes with TLS, whose names are checked; null: clear text
 */
public record NodeLinks(
    LinkModel model,
    Duration requestTimeout,
    Duration pauseMax,
    int connectionsMax,
    @Nullable SSLContext tls) {
  private static final int CONNECTIONS_DEFAULT = 4;
  private static final int PAUSE_FACTOR = 6;

  public static final NodeLinks DEFAULT =
      new NodeLinks(
          LinkModel.DIRECT,
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          CONNECTIONS_DEFAULT,
          null);

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

  /** One connection, without a network between, for what has no place in it. */
  public NodeLinks forBootstrap() {
    return new NodeLinks(LinkModel.DIRECT, requestTimeout, pauseMax, 1, tls);
  }

  public NodeLinks withModel(LinkModel newModel) {
    return new NodeLinks(newModel, requestTimeout, pauseMax, connectionsMax, tls);
  }

  /** Pauses are waited out for six times as long. */
  public NodeLinks withRequestTimeout(Duration newTimeout) {
    Duration newPauseMax = newTimeout.multipliedBy(PAUSE_FACTOR);
    return new NodeLinks(model, newTimeout, newPauseMax, connectionsMax, tls);
  }

  public NodeLinks withPauseMax(Duration newMax) {
    return new NodeLinks(model, requestTimeout, newMax, connectionsMax, tls);
  }

  public NodeLinks withConnectionsMax(int newMax) {
    return new NodeLinks(model, requestTimeout, pauseMax, newMax, tls);
  }

  public NodeLinks withTls(@Nullable SSLContext newTls) {
    return new NodeLinks(model, requestTimeout, pauseMax, connectionsMax, newTls);
  }
}

package io.palinode.voldemort.server;

import java.time.Duration;

/**
 * The address of a node, and its limits.
 *
 * @param port 0 for any free port
 * @param handshakeTimeout how long a client may take to name its protocol
 * @param closeTimeout how long {@code close} waits for requests in flight
 */
public record ServerConfig(
    String host, int port, Limits limits, Duration handshakeTimeout, Duration closeTimeout) {
  private static final Duration HANDSHAKE_TIMEOUT_DEFAULT = Duration.ofSeconds(10);
  private static final Duration CLOSE_TIMEOUT_DEFAULT = Duration.ofSeconds(5);

  public ServerConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("a port must be in [0, 65535]: port=" + port);
    }
    requirePositive("handshakeTimeout", handshakeTimeout);
    requirePositive("closeTimeout", closeTimeout);
  }

  /**
   * What a node does at once.
   *
   * @param requestThreads threads that read requests, run them and answer
   * @param connectionsMax further connections are closed at once
   * @param inFlightMax unanswered requests of one connection, or requests in a row; above, reading
   *     stops
   */
  record Limits(int requestThreads, int connectionsMax, int inFlightMax) {
    private static final Limits DEFAULT = new Limits(2, 1024, 256);

    Limits {
      if (requestThreads < 1 || connectionsMax < 1 || inFlightMax < 1) {
        throw new IllegalArgumentException(
            "limits must be positive: requestThreads=%d connectionsMax=%d inFlightMax=%d"
                .formatted(requestThreads, connectionsMax, inFlightMax));
      }
    }
  }

  private static void requirePositive(String name, Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(name + " must be positive: " + timeout);
    }
  }

  public static ServerConfig at(String host, int port) {
    return new ServerConfig(
        host, port, Limits.DEFAULT, HANDSHAKE_TIMEOUT_DEFAULT, CLOSE_TIMEOUT_DEFAULT);
  }
}

package io.palinode.voldemort.server;

import java.time.Duration;

/**
 * The address of a node, and its limits.
 *
 * @param port 0 for any free port
 * @param requestThreads threads that read requests, run them and answer
 * @param connectionsMax further connections are closed at once
 * @param handshakeTimeout how long a client may take to name its protocol
 * @param inFlightMax unanswered requests of one connection, or requests in a row; above, reading
 *     stops
 * @param closeTimeout how long {@code close} waits for requests in flight
 */
public record ServerConfig(
    String host,
    int port,
    int requestThreads,
    int connectionsMax,
    Duration handshakeTimeout,
    int inFlightMax,
    Duration closeTimeout) {
  private static final int REQUEST_THREADS_DEFAULT = 2;
  private static final int CONNECTIONS_MAX_DEFAULT = 1024;
  private static final Duration HANDSHAKE_TIMEOUT_DEFAULT = Duration.ofSeconds(10);
  private static final int IN_FLIGHT_MAX_DEFAULT = 256;
  private static final Duration CLOSE_TIMEOUT_DEFAULT = Duration.ofSeconds(5);

  public ServerConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("a port must be in [0, 65535]: port=" + port);
    }
    if (requestThreads < 1 || connectionsMax < 1 || inFlightMax < 1) {
      throw new IllegalArgumentException(
          "limits must be positive: requestThreads=%d connectionsMax=%d inFlightMax=%d"
              .formatted(requestThreads, connectionsMax, inFlightMax));
    }
    requirePositive("handshakeTimeout", handshakeTimeout);
    requirePositive("closeTimeout", closeTimeout);
  }

  private static void requirePositive(String name, Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(name + " must be positive: " + timeout);
    }
  }

  public static ServerConfig at(String host, int port) {
    return new ServerConfig(
        host,
        port,
        REQUEST_THREADS_DEFAULT,
        CONNECTIONS_MAX_DEFAULT,
        HANDSHAKE_TIMEOUT_DEFAULT,
        IN_FLIGHT_MAX_DEFAULT,
        CLOSE_TIMEOUT_DEFAULT);
  }
}

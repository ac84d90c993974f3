package io.palinode.voldemort.server;

import static io.netty.util.internal.PlatformDependent.maxDirectMemory;

import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.protocol.Frames;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The address of a node, and its limits.
 *
 * @param port 0 for any free port
 * @param handshakeTimeout how long a client may take to name its protocol
 * @param requestTimeout how long a request may take to arrive after its first bytes, and how long a
 *     client may read no byte of an answer
 * @param closeTimeout how long {@code close} waits for requests in flight
 * @param tls of this node and of its connections to others; null: clear text
 */
public record ServerConfig(
    String host,
    int port,
    Limits limits,
    Duration handshakeTimeout,
    Duration requestTimeout,
    Duration closeTimeout,
    @Nullable NodeTls tls) {
  private static final Duration HANDSHAKE_TIMEOUT_DEFAULT = Duration.ofSeconds(10);
  private static final Duration REQUEST_TIMEOUT_DEFAULT = Duration.ofSeconds(30);
  private static final Duration CLOSE_TIMEOUT_DEFAULT = Duration.ofSeconds(5);

  public ServerConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("a port must be in [0, 65535]: port=" + port);
    }
    requirePositive("handshakeTimeout", handshakeTimeout);
    requirePositive("requestTimeout", requestTimeout);
    requirePositive("closeTimeout", closeTimeout);
  }

  /**
   * What a node does at once.
   *
   * @param requestThreads threads that read requests, run them and answer
   * @param inFlightMax unanswered requests of one connection, or requests in a row; above, reading
   *     stops
   * @param requestBytesMax bytes of all requests of more than 64 KiB, from their arrival to their
   *     answer; further ones wait. Also bytes of all answers of more than 64 KiB that are not read
   */
  record Limits(
      int requestThreads, Connections connections, int inFlightMax, long requestBytesMax) {
    private static final int REQUEST_THREADS = 2;
    private static final int IN_FLIGHT_MAX = 256;

    Limits {
      if (requestThreads < 1 || inFlightMax < 1) {
        throw new IllegalArgumentException(
            "limits must be positive: requestThreads=%d inFlightMax=%d"
                .formatted(requestThreads, inFlightMax));
      }
      if (requestBytesMax < Frames.MESSAGE_BYTES_MAX + Integer.BYTES) {
        throw new IllegalArgumentException(
            "the longest request must fit: requestBytesMax=" + requestBytesMax);
      }
    }

    /** The defaults of each of so many nodes in one process. */
    static Limits ofHeap(int nodes) {
      long quarter = Math.min(Runtime.getRuntime().maxMemory(), maxDirectMemory()) / 4;
      return new Limits(
          REQUEST_THREADS,
          Connections.DEFAULT,
          IN_FLIGHT_MAX,
          Math.max(quarter / nodes, 2L * Frames.MESSAGE_BYTES_MAX));
    }
  }

  /**
   * The connections of a node.
   *
   * @param max in all; above, an idle one is closed, or the new one
   * @param perAddressMax of one address; above, an idle one of it is closed, or the new one
   * @param idleAfter without a byte and a request for so long, a connection is idle
   */
  record Connections(int max, int perAddressMax, Duration idleAfter) {
    static final Connections DEFAULT = new Connections(2048, 1024, Duration.ofSeconds(5));

    Connections {
      if (max < 1 || perAddressMax < 1) {
        throw new IllegalArgumentException(
            "limits must be positive: max=%d perAddressMax=%d".formatted(max, perAddressMax));
      }
      requirePositive("idleAfter", idleAfter);
    }
  }

  private static void requirePositive(String name, Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(name + " must be positive: " + timeout);
    }
  }

  /** With defaults, for one of at most so many nodes in this process. */
  public static ServerConfig at(String host, int port, int nodes) {
    return new ServerConfig(
        host,
        port,
        Limits.ofHeap(nodes),
        HANDSHAKE_TIMEOUT_DEFAULT,
        REQUEST_TIMEOUT_DEFAULT,
        CLOSE_TIMEOUT_DEFAULT,
        null);
  }

  ServerConfig withTls(@Nullable NodeTls newTls) {
    return new ServerConfig(
        host, port, limits, handshakeTimeout, requestTimeout, closeTimeout, newTls);
  }
}

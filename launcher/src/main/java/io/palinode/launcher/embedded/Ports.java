package io.palinode.launcher.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Free ports of the loopback address. On Linux this process holds each one until it ends: the
 * system gives it to no connection, and to no program that asks for any port. A server may still
 * listen on it, here or in another process.
 */
public final class Ports {
  /** Bound, not listening. */
  private static final List<Socket> HELD = new ArrayList<>();

  private Ports() {}

  /** {@code count} different ports. */
  public static List<Integer> free(int count) {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      try {
        ports.add(hold(0));
      } catch (IOException e) {
        throw new UncheckedIOException("no free port on the loopback address", e);
      }
    }
    return ports;
  }

  /**
   * Holds these ports too, or throws {@link IOException} at the first that is in use.
   *
   * @param ports not 0
   */
  public static void holdAll(List<Integer> ports) throws IOException {
    for (int port : ports) {
      hold(port);
    }
  }

  /** Whether a server could listen on the port of the loopback address now. */
  public static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return probe.isBound();
    } catch (IOException taken) {
      return false;
    }
  }

  private static synchronized int hold(int port) throws IOException {
    Socket socket = new Socket();
    // Without reuse the port is ours alone; with it, a server may share the port.
    socket.setReuseAddress(false);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setReuseAddress(true);
    int held = socket.getLocalPort();
    if (System.getProperty("os.name").startsWith("Linux")) {
      HELD.add(socket);
    } else {
      // There no server could listen on it.
      socket.close();
    }
    return held;
  }
}

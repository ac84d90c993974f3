package io.palinode.launcher.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of the loopback address. */
public final class Ports {
  /** Below the ports that Linux and macOS give to connections, which would take a free one. */
  private static final int MIN = 10_000;

  private static final int MAX = 32_000;
  private static final int TRIES = 1_000;

  private Ports() {}

  /** {@code count} different ports that were free a moment ago. */
  public static List<Integer> free(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(bound());
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("no free port on the loopback address", e);
    } finally {
      for (ServerSocket socket : sockets) {
        release(socket);
      }
    }
  }

  private static ServerSocket bound() throws IOException {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(MIN, MAX);
      try {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
      } catch (BindException taken) {
        // The next one.
      }
    }
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /** Whether the port of the loopback address is free now. */
  public static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return probe.isBound();
    } catch (IOException taken) {
      return false;
    }
  }

  private static void release(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a probed port was not given back", e);
    }
  }
}

package io.palinode.benchmarks.stock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server as a separate process on loopback, with its output in a file. For one thread. */
public final class ServerProgram implements AutoCloseable {
  static final Duration START_MAX = Duration.ofMinutes(2);
  private static final long LOOK_MILLIS = 50;
  private static final int CONNECT_MILLIS = 200;
  private static final long END_SECONDS_MAX = 30;

  private final Process process;
  private final Path log;

  private ServerProgram(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** A condition that may read the log. */
  public interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Starts it, and returns before it serves.
   *
   * @param home its folder, which exists
   * @param java options of the virtual machine, then the class to run and its arguments
   */
  public static ServerProgram start(Path home, List<String> java) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(java);
    Path log = home.resolve("server.log");
    Process process =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    // It must not outlive us, however we end.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return new ServerProgram(process, log);
  }

  /** Different ports of the loopback address that were free a moment ago. */
  public static List<Integer> freePorts(int count) {
    List<ServerSocket> reserved = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        reserved.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      List<Integer> ports = reserved.stream().map(ServerSocket::getLocalPort).toList();
      for (ServerSocket each : reserved) {
        each.close();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException("no free port on the loopback address", e);
    }
  }

  /** Whether a server listens there. */
  public static boolean isOpen(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  /**
   * Returns when {@code ready} holds. Ends the process and throws {@link IOException} with the end
   * of its log if that is not in time.
   *
   * @param what it is to do
   */
  public void await(String what, Condition ready) throws IOException, InterruptedException {
    boolean holds = false;
    try {
      long deadline = System.nanoTime() + START_MAX.toNanos();
      while (!ready.holds()) {
        if (!process.isAlive() || System.nanoTime() - deadline >= 0) {
          throw new NotServingException(what, process.isAlive(), text().lines().toList());
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
      holds = true;
    } finally {
      if (!holds) {
        close();
      }
    }
  }

  /** Returns when its log has {@code part}; throws as {@link #await}. */
  public void awaitLogged(String part) throws IOException, InterruptedException {
    await("log " + part, () -> isLogged(part));
  }

  public boolean isLogged(String part) throws IOException {
    return text().contains(part);
  }

  private String text() throws IOException {
    return Files.readString(log, StandardCharsets.ISO_8859_1);
  }

  /**
   * The processor's time that the process has taken, all threads together, in nanoseconds; to some
   * 10 ms; 0 if the system does not report it.
   */
  public long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** In order, if it ends in time. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

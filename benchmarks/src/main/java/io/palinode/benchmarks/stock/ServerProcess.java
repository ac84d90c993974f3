package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.StoreLoad;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A store server as a separate process, on loopback: a cluster of one node with one store on disk.
 * {@link StockServer} and {@link OurNode} start one. For one thread.
 */
final class ServerProcess implements AutoCloseable {
  static final String STORE = "default";

  static final Duration START_MAX = Duration.ofSeconds(90);
  private static final long LOOK_MILLIS = 50;
  private static final long END_SECONDS_MAX = 20;
  private static final int PARTITIONS = 8;
  private static final byte[] PB0 = {'p', 'b', '0'};

  private final Node node;
  private final Path log;
  private final Process process;

  private ServerProcess(Node node, Path log, Process process) {
    this.node = node;
    this.log = log;
    this.process = process;
  }

  /** The folder of {@code home} with cluster.xml and stores.xml. */
  static Path config(Path home) {
    return home.resolve("config");
  }

  /** Writes {@link #config}, the same for all servers except the ports. */
  static Cluster layOut(Path home) throws IOException {
    List<Integer> ports = freePorts(3);
    Node node =
        new Node(
            0,
            "127.0.0.1",
            ports.get(0),
            ports.get(1),
            ports.get(2),
            0,
            IntStream.range(0, PARTITIONS).boxed().toList());
    Cluster cluster = new Cluster("bench", List.of(), List.of(node));
    StoreDefinition store = StoreDefinition.of(STORE, Persistence.BDB, 1, 1, 1);
    Path config = Files.createDirectories(config(home));
    Files.writeString(config.resolve("cluster.xml"), cluster.toXml());
    Files.writeString(config.resolve("stores.xml"), StoreDefinition.toXml(List.of(store)));
    return cluster;
  }

  /** Different ports of the loopback address that were free a moment ago. */
  static List<Integer> freePorts(int count) {
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

  /**
   * Returns when it serves. Throws {@link NotServingException} with its log when it does not.
   *
   * @param cluster as {@link #layOut} has written it
   * @param java options of the virtual machine, then the class to run and its arguments
   */
  static ServerProcess start(Path home, Cluster cluster, List<String> java)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(java);
    Path log = home.resolve("server.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    // It must not outlive us, however we end.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    ServerProcess server = new ServerProcess(cluster.node(0), log, process);
    try {
      server.await("serve", server::isServing);
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Returns when {@code ready} returns true; throws as the other. */
  void await(String what, BooleanSupplier ready) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_MAX.toNanos();
    while (!ready.getAsBoolean()) {
      if (!process.isAlive() || System.nanoTime() - deadline >= 0) {
        throw new NotServingException(what, process.isAlive(), Files.readAllLines(log));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  /** An open port is not enough: a stock server's is open before its stores are. */
  private boolean isServing() {
    try (Socket socket = new Socket()) {
      int millis = Math.toIntExact(TimeUnit.SECONDS.toMillis(1));
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), node.socketPort()), millis);
      socket.setSoTimeout(millis);
      socket.getOutputStream().write(PB0);
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(2), StandardCharsets.US_ASCII).equals("ok");
    } catch (IOException notYet) {
      return false;
    }
  }

  /** {@code host:port}, for clients. */
  String address() {
    return node.host() + ":" + node.socketPort();
  }

  /** Puts all keys, with a client of ours. Returns when they are there. */
  void fill(int keys, int valueBytes) throws InterruptedException {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(List.of(address()), "fill"))) {
      StoreLoad.fill(List.of(client.store(STORE)), keys, valueBytes);
    }
  }

  /**
   * The processor's time that the process has taken, all threads together, in nanoseconds; to some
   * 10 ms; 0 if the system does not report it.
   */
  long cpuNanos() {
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

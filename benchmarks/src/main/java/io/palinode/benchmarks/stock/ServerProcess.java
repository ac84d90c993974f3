package io.palinode.benchmarks.stock;

import io.palinode.voldemort.StorageEngine.Durability;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** One store server of one node, ours or stock, in a process of its own. */
final class ServerProcess implements AutoCloseable {
  static final String STORE = "default";

  private static final Duration START_MAX = Duration.ofSeconds(60);
  private static final Duration STOP_MAX = Duration.ofSeconds(20);
  private static final int POLL_MILLIS = 50;
  private static final int CONNECT_MILLIS = 500;
  private static final int PARTITIONS = 8;
  private static final String HOST = "127.0.0.1";

  private final Process process;
  private final int port;
  private final Path log;

  private ServerProcess(Process process, int port, Path log) {
    this.process = process;
    this.port = port;
    this.log = log;
  }

  /** Ours, of this very build. */
  static ServerProcess ours(Path folder, Durability durability, List<String> jvm)
      throws IOException, InterruptedException {
    int port = layOut(folder);
    List<String> command = java(jvm, System.getProperty("java.class.path"));
    command.add(OurNode.class.getName());
    command.add(folder.toString());
    command.add(durability.name());
    return started(command, folder, port);
  }

  /** Stock, with the cache and the durability of ours, and else as it comes. */
  static ServerProcess stock(
      StockVoldemort voldemort, Path folder, Durability durability, List<String> jvm)
      throws IOException, InterruptedException {
    int port = layOut(folder);
    Files.writeString(
        folder.resolve("config").resolve("server.properties"),
        """
        node.id=0
        http.enable=false
        socket.enable=true
        enable.nio.connector=true
        jmx.enable=false
        slop.enable=false
        storage.configs=voldemort.store.bdb.BdbStorageConfiguration
        bdb.cache.size=%d
        bdb.write.transactions=%s
        bdb.flush.transactions=%s
        """
            .formatted(
                BdbConfig.DEFAULT.cacheBytes(),
                durability != Durability.BUFFERED,
                durability == Durability.SYNCED));
    Path log4j = folder.resolve("config").resolve("log4j.properties");
    Files.writeString(
        log4j,
        """
        log4j.rootLogger=WARN, stderr
        log4j.appender.stderr=org.apache.log4j.ConsoleAppender
        log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
        log4j.appender.stderr.layout.ConversionPattern=%d %p %m%n
        """);
    List<String> command = java(jvm, voldemort.classPathText());
    command.add(1, "-Dlog4j.configuration=" + log4j.toUri());
    command.add("voldemort.server.VoldemortServer");
    command.add(folder.toString());
    command.add(folder.resolve("config").toString());
    return started(command, folder, port);
  }

  private static List<String> java(List<String> jvm, String classPath) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(List.of("-cp", classPath));
    return command;
  }

  /** Writes cluster.xml and stores.xml, the same for both; the port. */
  private static int layOut(Path folder) throws IOException {
    List<Integer> ports = freePorts();
    Node node =
        new Node(
            0,
            HOST,
            ports.get(1),
            ports.get(0),
            ports.get(2),
            0,
            IntStream.range(0, PARTITIONS).boxed().toList());
    Path config = Files.createDirectories(folder.resolve("config"));
    Files.writeString(
        config.resolve("cluster.xml"), new Cluster("bench", List.of(), List.of(node)).toXml());
    Files.writeString(
        config.resolve("stores.xml"),
        StoreDefinition.toXml(List.of(StoreDefinition.of(STORE, Persistence.BDB, 1, 1, 1))));
    return ports.get(0);
  }

  private static List<Integer> freePorts() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket one = new ServerSocket(0, 1, loopback);
        ServerSocket two = new ServerSocket(0, 1, loopback);
        ServerSocket three = new ServerSocket(0, 1, loopback)) {
      return List.of(one.getLocalPort(), two.getLocalPort(), three.getLocalPort());
    }
  }

  private static ServerProcess started(List<String> command, Path folder, int port)
      throws IOException, InterruptedException {
    Path log = folder.resolve("server.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    ServerProcess server = new ServerProcess(process, port, log);
    try {
      server.awaitListening();
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void awaitListening() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_MAX.toNanos();
    while (!isListening()) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "the server did not start%n%s".formatted(Files.readString(log)));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private boolean isListening() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  String address() {
    return HOST + ":" + port;
  }

  /** Processor time that it has used, nanoseconds; 0 where the system does not tell. */
  long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

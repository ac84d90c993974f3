package io.palinode.benchmarks.stock;

import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
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

/** One stock Voldemort server as a process of its own, on loopback. For one thread. */
public final class StockServer implements AutoCloseable {
  private static final long LOOK_MILLIS = 50;
  private static final long END_SECONDS_MAX = 20;
  private static final int LOG_LINES_TOLD = 12;
  private static final byte[] PB0 = {'p', 'b', '0'};

  private static final String PROPERTIES =
      """
      node.id=%d
      http.enable=false
      socket.enable=true
      enable.nio.connector=true
      nio.connector.selectors=4
      nio.admin.connector.selectors=1
      bdb.cache.size=%s
      storage.configs=voldemort.store.bdb.BdbStorageConfiguration, voldemort.store.memory.InMemoryStorageConfiguration
      jmx.enable=false
      slop.enable=true
      slop.frequency.ms=5000
      enable.server.routing=false
      """;

  private static final String LOGGING =
      """
      log4j.rootLogger=WARN, out
      log4j.appender.out=org.apache.log4j.ConsoleAppender
      log4j.appender.out.layout=org.apache.log4j.PatternLayout
      log4j.appender.out.layout.ConversionPattern=%d{ISO8601} %p %c{1} %m%n
      """;

  private final Node node;
  private final Path log;
  private final Process process;

  /**
   * What a server is.
   *
   * @param home its folder; what an earlier run left there is taken up
   * @param javaOptions of its process, like {@code -Xmx512m}, or {@code -javaagent:…}
   */
  public record Setting(
      int node,
      Cluster cluster,
      List<StoreDefinition> stores,
      Path home,
      String bdbCache,
      List<String> javaOptions) {
    public Setting {
      stores = List.copyOf(stores);
      javaOptions = List.copyOf(javaOptions);
    }

    public Setting with(List<String> options) {
      return new Setting(node, cluster, stores, home, bdbCache, options);
    }
  }

  private StockServer(Node node, Path log, Process process) {
    this.node = node;
    this.log = log;
    this.process = process;
  }

  /** Of nodes at free ports of the loopback address. */
  public static Cluster cluster(int size) {
    List<Integer> ports = freePorts(3 * size);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      nodes.add(
          new Node(
              i,
              "127.0.0.1",
              ports.get(3 * i),
              ports.get(3 * i + 1),
              ports.get(3 * i + 2),
              0,
              List.of(i, i + size)));
    }
    return new Cluster("stock", List.of(), nodes);
  }

  /** Different ports of the loopback address that nobody listened on a moment ago. */
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

  /** Starts it; {@link #awaitServing} tells when it serves. */
  public static StockServer start(StockVoldemort voldemort, Setting setting) throws IOException {
    Path home = setting.home();
    Path config = Files.createDirectories(home.resolve("config"));
    Files.writeString(config.resolve("cluster.xml"), setting.cluster().toXml());
    if (!Files.exists(config.resolve("STORES"))) {
      // Only the first start reads them from here.
      Files.writeString(config.resolve("stores.xml"), StoreDefinition.toXml(setting.stores()));
    }
    Files.writeString(
        config.resolve("server.properties"),
        PROPERTIES.formatted(setting.node(), setting.bdbCache()));
    Path logging = home.resolve("log4j.properties");
    Files.writeString(logging, LOGGING);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(setting.javaOptions());
    command.add("-Dlog4j.configuration=" + logging.toUri());
    command.addAll(List.of("-cp", voldemort.classPathText()));
    command.add("voldemort.server.VoldemortServer");
    command.addAll(List.of(home.toString(), config.toString()));
    Path log = home.resolve("server.log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    // It must not outlive us, however we end.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return new StockServer(setting.cluster().node(setting.node()), log, process);
  }

  /**
   * Returns when it takes requests. Throws {@link IOException} with the end of its log when it has
   * ended, or takes longer.
   */
  public void awaitServing(Duration max) throws IOException, InterruptedException {
    await("serve", max, this::isServing);
  }

  /** Likewise, until {@code ready} says so. */
  public void await(String what, Duration max, BooleanSupplier ready)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + max.toNanos();
    while (!ready.getAsBoolean()) {
      if (!process.isAlive() || System.nanoTime() - deadline >= 0) {
        throw new IOException(
            "the server must %s within %s: alive=%s log=%s%n%s"
                .formatted(what, max, process.isAlive(), log, endOfLog()));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  private String endOfLog() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join(
        System.lineSeparator(),
        lines.subList(Math.max(0, lines.size() - LOG_LINES_TOLD), lines.size()));
  }

  /** An open port is not enough: it is open before the stores are. */
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
  public String address() {
    return node.host() + ":" + node.socketPort();
  }

  /** The processor's time that the process has taken, all threads together; to some 10 ms. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
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

package io.palinode.benchmarks.cassandra;

import java.io.File;
import java.io.IOException;
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

/**
 * One Cassandra server, alone in its cluster, as a separate process on loopback. For one thread.
 */
final class CassandraProcess implements AutoCloseable {
  static final String ADDRESS = "127.0.0.1";

  private static final Duration START_MAX = Duration.ofMinutes(2);
  private static final long LOOK_MILLIS = 100;
  private static final int CONNECT_MILLIS = 200;
  private static final long END_SECONDS_MAX = 30;
  private static final int LOG_CHARS = 2_000;

  /** What Cassandra's own start script opens for Java 17. */
  private static final List<String> OPENED =
      List.of(
          "java.base/java.lang",
          "java.base/java.lang.module",
          "java.base/java.io",
          "java.base/java.nio",
          "java.base/java.net",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.concurrent.atomic",
          "java.base/sun.nio.ch",
          "java.base/jdk.internal.loader",
          "java.base/jdk.internal.ref",
          "java.base/jdk.internal.reflect",
          "java.base/jdk.internal.math",
          "java.base/jdk.internal.module",
          "java.base/jdk.internal.util.jar",
          "java.base/jdk.internal.misc",
          "jdk.management/com.sun.management.internal",
          "java.management.rmi/com.sun.jmx.remote.internal.rmi",
          "java.rmi/sun.rmi.registry",
          "java.rmi/sun.rmi.server",
          "jdk.unsupported/sun.misc",
          "jdk.attach/sun.tools.attach",
          "jdk.compiler/com.sun.tools.javac.file");

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%date{ISO8601} %-5level [%thread] %logger{20} %msg%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="OUT"/></root>
      </configuration>
      """;

  private final Process process;
  private final Path log;
  private final int port;

  private CassandraProcess(Process process, Path log, int port) {
    this.process = process;
    this.log = log;
    this.port = port;
  }

  /**
   * Returns when it serves. Throws {@link IOException} with the end of its log if it does not.
   *
   * @param home an empty folder
   * @param memtable the configuration named {@code palinode}: its lines in cassandra.yaml
   */
  static CassandraProcess start(StockCassandra cassandra, Path home, String memtable)
      throws IOException, InterruptedException {
    return start(cassandra.classPath(), home, memtable);
  }

  /** The same, with a further jar. */
  static CassandraProcess start(StockCassandra cassandra, Path jar, Path home, String memtable)
      throws IOException, InterruptedException {
    return start(cassandra.classPath() + File.pathSeparator + jar, home, memtable);
  }

  private static CassandraProcess start(String classPath, Path home, String memtable)
      throws IOException, InterruptedException {
    Files.createDirectories(home);
    List<Integer> ports = freePorts(3);
    Files.writeString(home.resolve("cassandra.yaml"), yaml(ports) + memtable.indent(4));
    Files.writeString(home.resolve("logback.xml"), LOGBACK);
    Path log = home.resolve("server.log");
    Process process =
        new ProcessBuilder(command(classPath, home, ports.get(2)))
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    // It must not outlive us, however we end.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    CassandraProcess server = new CassandraProcess(process, log, ports.get(1));
    try {
      server.await("serve", server::isServing);
      return server;
    } catch (IOException | InterruptedException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private static String yaml(List<Integer> ports) {
    return """
    cluster_name: bench
    num_tokens: 1
    partitioner: org.apache.cassandra.dht.Murmur3Partitioner
    endpoint_snitch: SimpleSnitch
    seed_provider:
      - class_name: org.apache.cassandra.locator.SimpleSeedProvider
        parameters:
          - seeds: "%1$s:%2$d"
    listen_address: %1$s
    rpc_address: %1$s
    storage_port: %2$d
    native_transport_port: %3$d
    commitlog_sync: periodic
    commitlog_sync_period: 10s
    auto_bootstrap: false
    memtable:
      configurations:
        skiplist:
          class_name: SkipListMemtable
        default:
          inherits: skiplist
    """
        .formatted(ADDRESS, ports.get(0), ports.get(1));
  }

  private static List<String> command(String classPath, Path home, int jmxPort) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String each : OPENED) {
      command.add("--add-opens=" + each + "=ALL-UNNAMED");
      command.add("--add-exports=" + each + "=ALL-UNNAMED");
    }
    command.addAll(
        List.of(
            "-Xms768m",
            "-Xmx768m",
            "-Djava.security.manager=allow",
            "-Djava.io.tmpdir=" + home,
            "-Dlogback.configurationFile=" + home.resolve("logback.xml"),
            "-Dcassandra.config=" + home.resolve("cassandra.yaml").toUri(),
            "-Dcassandra.storagedir=" + home.resolve("data"),
            "-Dcassandra-foreground=true",
            "-Dcassandra.jmx.local.port=" + jmxPort,
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
            "-Dcassandra.ring_delay_ms=100",
            "-Dcassandra.superuser_setup_delay_ms=0",
            "-cp",
            classPath,
            "org.apache.cassandra.service.CassandraDaemon"));
    return command;
  }

  /** Different ports of the loopback address that were free a moment ago. */
  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> reserved = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      reserved.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    }
    List<Integer> ports = reserved.stream().map(ServerSocket::getLocalPort).toList();
    for (ServerSocket each : reserved) {
      each.close();
    }
    return ports;
  }

  /** A condition that may read the log. */
  interface Condition {
    boolean holds() throws IOException;
  }

  private void await(String what, Condition ready) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_MAX.toNanos();
    while (!ready.holds()) {
      if (!process.isAlive() || System.nanoTime() - deadline >= 0) {
        String text = text();
        throw new IOException(
            "a Cassandra server must %s within %d s: alive=%s log=…%s"
                .formatted(
                    what,
                    START_MAX.toSeconds(),
                    process.isAlive(),
                    text.substring(Math.max(0, text.length() - LOG_CHARS))));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  /** Returns when its log has {@code part}. */
  void awaitLogged(String part) throws IOException, InterruptedException {
    await("log " + part, () -> isLogged(part));
  }

  boolean isLogged(String part) throws IOException {
    return text().contains(part);
  }

  private String text() throws IOException {
    return Files.readString(log, StandardCharsets.ISO_8859_1);
  }

  private boolean isServing() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Of CQL. */
  int port() {
    return port;
  }

  /** The processor's time that the process has taken; 0 if the system does not report it. */
  long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

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

package io.palinode.benchmarks.cassandra;

import io.palinode.benchmarks.stock.ServerProgram;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One Cassandra server, alone in its cluster, as a separate process on loopback. For one thread.
 */
final class CassandraProcess implements AutoCloseable {
  static final String ADDRESS = "127.0.0.1";

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

  private final ServerProgram program;
  private final int port;

  private CassandraProcess(ServerProgram program, int port) {
    this.program = program;
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
    List<Integer> ports = ServerProgram.freePorts(3);
    Files.writeString(home.resolve("cassandra.yaml"), yaml(ports) + memtable.indent(4));
    Files.writeString(home.resolve("logback.xml"), LOGBACK);
    ServerProgram program = ServerProgram.start(home, command(classPath, home, ports.get(2)));
    int port = ports.get(1);
    program.await("serve", () -> ServerProgram.isOpen(port));
    return new CassandraProcess(program, port);
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

  /** See {@link ServerProgram#awaitLogged}. */
  void awaitLogged(String part) throws IOException, InterruptedException {
    program.awaitLogged(part);
  }

  boolean isLogged(String part) throws IOException {
    return program.isLogged(part);
  }

  /** Of CQL. */
  int port() {
    return port;
  }

  /** See {@link ServerProgram#cpuNanos}. */
  long cpuNanos() {
    return program.cpuNanos();
  }

  @Override
  public void close() {
    program.close();
  }
}

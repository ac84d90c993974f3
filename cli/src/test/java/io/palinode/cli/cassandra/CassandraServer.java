package io.palinode.cli.cassandra;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import io.palinode.launcher.embedded.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** A stock Cassandra server in its own process, with our jar on its class path. */
final class CassandraServer implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofSeconds(90);
  private static final Path CLASS_PATH = Path.of("../cassandra/server/target/classpath.txt");
  private static final Path JAR = Path.of("../cassandra/target/palinode-cassandra.jar");
  private static final Path TEST_CLASSES = Path.of("../cassandra/target/test-classes");
  private static final String HEAP = "512m";
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Histories that are rolled back have many. */
  private static final int TOMBSTONES_DEFAULT = 100_000;

  private static final int TOMBSTONES_FEW = 500;

  private static final String LATE = "10s";
  private static final String SOON = "3s";

  /** Of its log, if it ends. */
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

  /**
   * What all servers of a cluster share.
   *
   * @param addresses one for each server, in the order of Palinode's node numbers
   * @param kafka its bootstrap servers
   * @param rollback whether mutations are logged
   * @param hints whether coordinators keep hints
   */
  record Cluster(
      List<String> addresses,
      int storagePort,
      int cqlPort,
      String kafka,
      boolean rollback,
      boolean hints) {
    /** Watches only. */
    Cluster(List<String> addresses, int storagePort, int cqlPort, String kafka) {
      this(addresses, storagePort, cqlPort, kafka, false, false);
    }
  }

  private final Cluster cluster;
  private final int node;
  private final Path folder;
  private final int jmxPort;
  private final int statusPort;
  private @Nullable Process process;

  private CassandraServer(Cluster cluster, int node, Path folder) {
    this.cluster = cluster;
    this.node = node;
    this.folder = folder;
    List<Integer> ports = Ports.free(2);
    this.jmxPort = ports.get(0);
    this.statusPort = ports.get(1);
  }

  /** Returns before it serves. */
  static CassandraServer start(Cluster cluster, int node, Path folder) throws IOException {
    return start(cluster, node, folder, PALINODE);
  }

  /** Keeps a hint soon of a write that another server does not answer. */
  static CassandraServer startHinting(Cluster cluster, int node, Path folder) throws IOException {
    return start(cluster, node, folder, PALINODE, SOON);
  }

  /** Orders its writes after those of other servers by messages alone, not by physical clocks. */
  static CassandraServer startCausal(Cluster cluster, int node, Path folder) throws IOException {
    return start(cluster, node, folder, PALINODE.replace("epsilon: 10ms", "epsilon: inf"));
  }

  /** Its tables can name our memtable, but it is Cassandra's default. */
  static CassandraServer startWithout(Cluster cluster, int node, Path folder) throws IOException {
    return start(cluster, node, folder, STOCK);
  }

  private static CassandraServer start(Cluster cluster, int node, Path folder, String memtable)
      throws IOException {
    return start(cluster, node, folder, memtable, LATE);
  }

  private static CassandraServer start(
      Cluster cluster, int node, Path folder, String memtable, String writeTimeout)
      throws IOException {
    CassandraServer server = new CassandraServer(cluster, node, folder);
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("cassandra.yaml"), server.yaml(writeTimeout) + server.format(memtable));
    Files.writeString(folder.resolve("logback.xml"), LOGBACK);
    server.start();
    return server;
  }

  private String yaml(String writeTimeout) {
    return """
    cluster_name: palinode
    num_tokens: 1
    partitioner: org.apache.cassandra.dht.Murmur3Partitioner
    endpoint_snitch: RackInferringSnitch
    dynamic_snitch: false
    seed_provider:
      - class_name: org.apache.cassandra.locator.SimpleSeedProvider
        parameters:
          - seeds: "%1$s"
    listen_address: %2$s
    rpc_address: %2$s
    storage_port: %3$d
    native_transport_port: %4$d
    commitlog_sync: batch
    auto_bootstrap: false
    hinted_handoff_enabled: %5$s
    hints_flush_period: 1s
    write_request_timeout: %7$s
    materialized_views_enabled: true
    tombstone_failure_threshold: %6$d
    memtable:
      configurations:
        skiplist:
          class_name: SkipListMemtable
        default:
          inherits: skiplist
    """
        .formatted(
            cluster.addresses().get(0),
            cluster.addresses().get(node),
            cluster.storagePort(),
            cluster.cqlPort(),
            cluster.hints(),
            cluster.rollback() ? TOMBSTONES_DEFAULT : TOMBSTONES_FEW,
            writeTimeout);
  }

  private static final String STOCK =
      """
          palinode:
            inherits: skiplist
      """;

  private static final String PALINODE =
      """
          palinode:
            class_name: io.palinode.cassandra.PalinodeMemtable
            parameters:
              nodes: %s
              kafka: %s
              epsilon: 10ms
              rollback: %s
              partition_max: 1MiB
              status_port: %s
      """;

  private String format(String memtable) {
    return memtable.formatted(
        String.join(",", cluster.addresses()), cluster.kafka(), cluster.rollback(), statusPort);
  }

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%date{ISO8601} %-5level [%thread] %logger{20} %msg%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="OUT"/></root>
      </configuration>
      """;

  /** Starts it again after {@link #kill} or {@link #stop}. */
  void start() throws IOException {
    List<String> command = java();
    command.addAll(
        List.of(
            "-Xmx" + HEAP,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-Djava.security.manager=allow",
            "-Djava.io.tmpdir=" + folder,
            "-Dlogback.configurationFile=" + folder.resolve("logback.xml"),
            "-Dcassandra.config=" + folder.resolve("cassandra.yaml").toUri(),
            "-Dcassandra.storagedir=" + folder.resolve("data"),
            "-Dcassandra-foreground=true",
            "-Dcassandra.jmx.local.port=" + jmxPort,
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
            "-Dcassandra.ring_delay_ms=100",
            "-Dcassandra.superuser_setup_delay_ms=0",
            "-Dcassandra.custom_query_handler_class=io.palinode.cassandra.HoldingQueryHandler",
            "-Dpalinode.test.hold=" + folder,
            "-cp",
            Files.readString(CLASS_PATH).strip()
                + ":"
                + JAR.toAbsolutePath()
                + ":"
                + TEST_CLASSES.toAbsolutePath(),
            "org.apache.cassandra.service.CassandraDaemon"));
    process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
  }

  private static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String each : OPENED) {
      command.add("--add-opens=" + each + "=ALL-UNNAMED");
      command.add("--add-exports=" + each + "=ALL-UNNAMED");
    }
    return command;
  }

  Path log() {
    return folder.resolve("cassandra.log");
  }

  /** While this file exists, the server sends no mutation; the file has one byte for each. */
  Path holdSent() {
    return folder.resolve("hold-sent");
  }

  /** While this file exists, the server applies no mutation of another one; the same. */
  Path holdReceived() {
    return folder.resolve("hold-received");
  }

  /** From now on, the server applies each mutation of another one so much later. */
  void delayReceived(Duration delay) throws IOException {
    Files.writeString(folder.resolve("delay-received"), Long.toString(delay.toMillis()));
  }

  /** A session with this server alone, once it serves. */
  CqlSession connect() {
    InetSocketAddress address =
        new InetSocketAddress(cluster.addresses().get(node), cluster.cqlPort());
    await()
        .atMost(START_MAX)
        .until(
            () -> {
              requireAlive();
              return isOpen(address);
            });
    return CqlSession.builder()
        .addContactPoint(address)
        .withLocalDatacenter("0")
        .withConfigLoader(
            DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                .withDuration(
                    DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofSeconds(20))
                .withDuration(
                    DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(20))
                // By default, a change of the schema waits a second for further ones.
                .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ZERO)
                .build())
        .build();
  }

  private void requireAlive() throws IOException {
    if (!running().isAlive()) {
      String log = Files.readString(log());
      throw new IllegalStateException(
          "server %d has ended: …%s"
              .formatted(node, log.substring(Math.max(0, log.length() - LOG_CHARS))));
    }
  }

  private static boolean isOpen(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, 200);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  private Process running() {
    Process now = process;
    if (now == null) {
      throw new IllegalStateException("not started");
    }
    return now;
  }

  /** Ends it at once, as {@code kill -9} does. */
  void kill() throws InterruptedException {
    running().destroyForcibly().waitFor();
  }

  /** Ends it in order. */
  void stop() throws InterruptedException {
    running().destroy();
    if (!running().waitFor(60, TimeUnit.SECONDS)) {
      kill();
    }
  }

  /** Stops all of its threads until {@link #proceed}, as {@code kill -STOP} does. */
  void freeze() throws IOException, InterruptedException {
    signal("-STOP");
  }

  void proceed() throws IOException, InterruptedException {
    signal("-CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", signal, Long.toString(running().pid())).start().waitFor();
    if (status != 0) {
      throw new IllegalStateException("kill %s has ended with %d".formatted(signal, status));
    }
  }

  /** The reachable objects of a class. */
  long instances(String type) throws IOException, InterruptedException {
    Path histogram = folder.resolve("histogram.log");
    int status =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(running().pid()),
                "GC.class_histogram")
            .redirectErrorStream(true)
            .redirectOutput(histogram.toFile())
            .start()
            .waitFor();
    String lines = Files.readString(histogram);
    if (status != 0) {
      throw new IllegalStateException(lines);
    }
    return lines
        .lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(columns -> columns.length >= 4 && columns[3].equals(type))
        .mapToLong(columns -> Long.parseLong(columns[1]))
        .sum();
  }

  /** The files of hints that it keeps for other servers. */
  long hintFiles() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("data/hints"))) {
      return files.filter(file -> file.toString().endsWith(".hints")).count();
    }
  }

  /** Whether it delivers hints from now on; a start delivers them again. */
  void deliverHints(boolean delivers) throws IOException, JMException {
    manage("hints:type=HintsService", delivers ? "resumeDispatch" : "pauseDispatch", List.of());
  }

  /** Writes the memtables of tables into files. */
  void flush(String keyspace, String... tables) throws IOException, JMException {
    manage(
        "db:type=StorageService",
        "forceKeyspaceFlush",
        List.of(keyspace, tables),
        String.class,
        String[].class);
  }

  /** Merges the files of tables. */
  void compact(String keyspace, String... tables) throws IOException, JMException {
    manage(
        "db:type=StorageService",
        "forceKeyspaceCompaction",
        List.of(false, keyspace, tables),
        boolean.class,
        String.class,
        String[].class);
  }

  @SuppressWarnings("BanJNDI") // The address is on this machine.
  private void manage(String bean, String operation, List<Object> values, Class<?>... types)
      throws IOException, JMException {
    JMXServiceURL url =
        new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:%d/jmxrmi".formatted(jmxPort));
    try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
      Object unused =
          connector
              .getMBeanServerConnection()
              .invoke(
                  new ObjectName("org.apache.cassandra." + bean),
                  operation,
                  values.toArray(),
                  Stream.of(types).map(Class::getName).toArray(String[]::new));
    }
  }

  /** A page of its status port. */
  String page(String path, Map<String, String> parameters) {
    String query =
        parameters.entrySet().stream()
            .map(each -> each.getKey() + '=' + URLEncoder.encode(each.getValue(), UTF_8))
            .collect(Collectors.joining("&"));
    URI uri = URI.create("http://127.0.0.1:%d/%s?%s".formatted(statusPort, path, query));
    try {
      return CLIENT
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

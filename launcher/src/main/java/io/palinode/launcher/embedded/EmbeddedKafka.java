package io.palinode.launcher.embedded;

import io.palinode.retroscope.disk.OwnerOnly;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Kafka broker, which is its own controller, in this process. It listens on loopback and keeps
 * its logs in the folder; about 2 s to start, 0.3 s to stop.
 */
public final class EmbeddedKafka implements AutoCloseable {
  /** Ask for whichever port is free. */
  public static final int ANY_PORT = 0;

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedKafka.class);
  private static final String HOST = "127.0.0.1";
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final String NODE_ID = "1";
  private static final String CONTROLLER = "CONTROLLER";
  private static final String BROKER = "PLAINTEXT";

  private final KafkaRaftServer server;
  private final FolderLock lock;
  private final int port;
  private boolean closed;

  private EmbeddedKafka(KafkaRaftServer server, FolderLock lock, int port) {
    this.server = server;
    this.lock = lock;
    this.port = port;
  }

  /** As {@link #start(Path, int, Map)}, without further settings. */
  public static EmbeddedKafka start(Path folder, int port) throws IOException {
    return start(folder, port, Map.of());
  }

  /**
   * Starts on {@code folder}, which is created and formatted when it is new. Throws {@link
   * IOException} that says what is in the way: the port, the folder, or another broker on it.
   *
   * @param further settings of the broker, which override the others
   */
  public static EmbeddedKafka start(Path folder, int port, Map<String, String> further)
      throws IOException {
    Path data = writable(folder);
    List<Integer> free = Ports.free(2);
    int brokerPort = port == ANY_PORT ? free.get(0) : requireFree(port);
    // Kafka locks the folder too, but only after it has touched the other broker's files.
    FolderLock lock = FolderLock.take(data);
    boolean started = false;
    try {
      if (!Files.exists(data.resolve("meta.properties"))) {
        format(data);
      }
      new KafkaFiles(data).prepare();
      Map<String, String> settings = settings(data, brokerPort, free.get(1));
      settings.putAll(further);
      KafkaConfig config = new KafkaConfig(settings, false);
      Exit.setHaltProcedure((status, reason) -> halt(data, status));
      KafkaRaftServer server = new KafkaRaftServer(config, Time.SYSTEM);
      startOrStop(server);
      started = true;
      return new EmbeddedKafka(server, lock, brokerPort);
    } catch (KafkaException e) {
      throw new IOException("Kafka does not start: folder=" + data + ": " + e.getMessage(), e);
    } finally {
      if (!started) {
        lock.close();
      }
    }
  }

  /** {@code host:port}, for clients in this process or on this machine. */
  public String bootstrapServers() {
    return HOST + ":" + port;
  }

  /** Stops the broker; what was acknowledged is on disk. Twice is once. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      server.shutdown();
      server.awaitShutdown();
      release();
    }
  }

  private void release() {
    try {
      lock.close();
    } catch (IOException e) {
      // The lock went with the broker's files; at the latest it goes with the process.
      LOG.warn("kafka state=STOPPED lock is not released: {}", e.getMessage());
    }
  }

  /** Kafka ends its process when its folder fails, and ours is the same one. */
  private static void halt(Path data, int status) {
    LOG.error(
        "Kafka has failed and ends this process (is the disk of {} full?). What was acknowledged is"
            + " there after a restart, which names a damaged file",
        data);
    Runtime.getRuntime().halt(status);
  }

  private static void startOrStop(KafkaRaftServer server) {
    boolean started = false;
    try {
      server.startup();
      started = true;
    } finally {
      if (!started) {
        server.shutdown();
      }
    }
  }

  private static Map<String, String> settings(Path data, int brokerPort, int controllerPort) {
    Map<String, String> settings = new HashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", NODE_ID);
    settings.put("controller.quorum.voters", NODE_ID + "@" + HOST + ":" + controllerPort);
    settings.put("controller.listener.names", CONTROLLER);
    settings.put(
        "listeners",
        BROKER
            + "://"
            + HOST
            + ":"
            + brokerPort
            + ","
            + CONTROLLER
            + "://"
            + HOST
            + ":"
            + controllerPort);
    settings.put(
        "listener.security.protocol.map", BROKER + ":PLAINTEXT," + CONTROLLER + ":PLAINTEXT");
    settings.put("log.dirs", data.toString());
    settings.put("auto.create.topics.enable", "false");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("transaction.state.log.num.partitions", "1");
    settings.put("share.coordinator.state.topic.replication.factor", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    settings.put("share.coordinator.state.topic.num.partitions", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    // There is no other broker to hand anything over to.
    settings.put("controlled.shutdown.enable", "false");
    // By default a start that hangs never fails.
    settings.put("server.max.startup.time.ms", "120000");
    // The defaults are for a dedicated machine: 128 MB for the cleaner alone.
    settings.put("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
    settings.put("log.retention.check.interval.ms", "60000");
    // Records without content, for controllers that follow this one.
    settings.put("metadata.max.idle.interval.ms", "0");
    settings.put("num.network.threads", "1");
    settings.put("num.io.threads", "2");
    return settings;
  }

  private static void format(Path data) throws IOException {
    Formatter formatter =
        new Formatter()
            .setClusterId(Uuid.randomUuid().toString())
            .setNodeId(Integer.parseInt(NODE_ID))
            .addDirectory(data.toString())
            .setControllerListenerName(CONTROLLER)
            .setMetadataLogDirectory(data.toString())
            .setReleaseVersion(MetadataVersion.latestProduction())
            .setIgnoreFormatted(true)
            .setPrintStream(
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    try {
      formatter.run();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      // The formatter declares no less.
      throw new IOException("Kafka's folder cannot be formatted: folder=" + data, e);
    }
  }

  private static Path writable(Path folder) throws IOException {
    Path data = folder.toAbsolutePath();
    try {
      OwnerOnly.createFolders(data);
    } catch (IOException e) {
      throw new IOException("Kafka's folder cannot be made: folder=" + data, e);
    }
    if (!Files.isWritable(data)) {
      throw new IOException("Kafka's folder must be writable: folder=" + data);
    }
    if (!OwnerOnly.claim(data)) {
      LOG.warn("folder={} other users may read it: run 'chmod -R go-rwx' on it", data);
    }
    return data;
  }

  private static int requireFree(int port) throws IOException {
    try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getByAddress(LOOPBACK))) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new IOException(
          "Kafka's port must be free: port=" + port + " (" + e.getMessage() + ")", e);
    }
  }
}

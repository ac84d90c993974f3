package io.palinode.orchestrator.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.server.BrokerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import scala.Option;

/** A Kafka broker of one node in this process. */
final class TestBroker implements AutoCloseable {
  /** Bound, not listening, so that Kafka can listen there. */
  private static final List<Socket> HELD = new ArrayList<>();

  private final Path folder;
  private final int port;
  private final Map<String, String> more;
  private KafkaRaftServer server;

  private TestBroker(Path folder, int port, Map<String, String> more) {
    this.folder = folder;
    this.port = port;
    this.more = more;
    this.server = started();
  }

  static TestBroker start(Path folder) throws Exception {
    return start(folder, Map.of());
  }

  /** With {@code more} settings. */
  static TestBroker start(Path folder, Map<String, String> more) throws Exception {
    Formatter formatter = new Formatter();
    formatter
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(1)
        .setControllerListenerName("CONTROLLER")
        .setMetadataLogDirectory(folder.toString())
        .addDirectory(folder.toString())
        .setReleaseVersion(MetadataVersion.latestProduction())
        .setIgnoreFormatted(true)
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, "UTF-8"))
        .run();
    return new TestBroker(folder, freePort(), more);
  }

  private KafkaRaftServer started() {
    Properties properties = properties(folder, port, freePort());
    properties.putAll(more);
    KafkaConfig config = new KafkaConfig(properties, false);
    KafkaRaftServer server = new KafkaRaftServer(config, Time.SYSTEM);
    server.startup();
    return server;
  }

  /** Clients get no answer from now on. */
  void stop() {
    server.shutdown();
    server.awaitShutdown();
  }

  /** At the same address, with the data in its folder. */
  void startAgain() {
    server = started();
  }

  /** In bytes, with the producer's overhead; a changed setting is in force a little later. */
  int largestRecord(String topic) throws ReflectiveOperationException {
    Method broker = KafkaRaftServer.class.getDeclaredMethod("broker");
    broker.setAccessible(true);
    BrokerServer inProcess = (BrokerServer) ((Option<?>) broker.invoke(server)).get();
    TopicPartition log = new TopicPartition(topic, 0);
    return inProcess.replicaManager().localLogOrException(log).config().maxMessageSize();
  }

  String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() {
    stop();
  }

  private static Properties properties(Path folder, int port, int controllerPort) {
    Properties p = new Properties();
    p.setProperty("process.roles", "broker,controller");
    p.setProperty("node.id", "1");
    p.setProperty("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    p.setProperty(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    p.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.setProperty("controller.listener.names", "CONTROLLER");
    p.setProperty("log.dirs", folder.toString());
    p.setProperty("offsets.topic.replication.factor", "1");
    p.setProperty("transaction.state.log.replication.factor", "1");
    p.setProperty("transaction.state.log.min.isr", "1");
    p.setProperty("share.coordinator.state.topic.replication.factor", "1");
    p.setProperty("share.coordinator.state.topic.min.isr", "1");
    p.setProperty("auto.create.topics.enable", "false");
    p.setProperty("controlled.shutdown.enable", "false");
    p.setProperty("server.max.startup.time.ms", "120000");
    p.setProperty("group.initial.rebalance.delay.ms", "0");
    p.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(4 << 20));
    p.setProperty("log.cleaner.backoff.ms", "100");
    return p;
  }

  /** Held for this process: the system gives it to no connection before Kafka listens. */
  private static synchronized int freePort() {
    try {
      Socket held = new Socket();
      held.setReuseAddress(true);
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      HELD.add(held);
      return held.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

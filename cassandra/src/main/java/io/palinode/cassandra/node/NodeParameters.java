package io.palinode.cassandra.node;

import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.detector.kafka.ProgressPace;
import io.palinode.hvc.Epsilon;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.cassandra.config.DataStorageSpec;
import org.apache.cassandra.config.DurationSpec;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * The {@code parameters} of the memtable in {@code cassandra.yaml}, the same on all nodes.
 *
 * @param nodes the addresses of all nodes; the index of an address is its node's number
 * @param kafka the bootstrap servers
 * @param kafkaConfig a file with user and TLS; null for none
 * @param epsilon the bound on clock differences
 * @param progressEvery how often progress is published while there are writes
 * @param isLogged whether mutations are logged, so that tables can be restored
 * @param partitionBytesMax a table with a larger partition is not restored
 * @param data the folder of the node's own files; null for the one beside Cassandra's hints
 * @param statusPort of the status pages; 0: there are none
 */
record NodeParameters(
    List<InetAddress> nodes,
    String kafka,
    @Nullable Path kafkaConfig,
    Epsilon epsilon,
    Duration progressEvery,
    boolean isLogged,
    long partitionBytesMax,
    @Nullable Path data,
    int statusPort) {
  private static final Duration PROGRESS_EVERY_DEFAULT = Duration.ofMillis(50);
  private static final Epsilon EPSILON_DEFAULT = Epsilon.parse("10ms");

  /** A quarter of the window-log: a delete of a partition logs all its cells. */
  private static final long PARTITION_BYTES_MAX_DEFAULT = 64L << 20;

  private static final int PORT_MAX = 65_535;

  /** Combines records of one moment into one request to Kafka. */
  private static final int LINGER_MS = 1;

  NodeParameters {
    nodes = List.copyOf(nodes);
  }

  /** Removes what it reads: Cassandra refuses the rest. Throws {@link ConfigurationException}. */
  static NodeParameters take(Map<String, String> parameters) {
    return new NodeParameters(
        required(parameters, "nodes", NodeParameters::addresses),
        required(parameters, "kafka", text -> text),
        path(parameters, "kafka_config"),
        optional(parameters, "epsilon", EPSILON_DEFAULT, Epsilon::parse),
        optional(parameters, "progress_every", PROGRESS_EVERY_DEFAULT, NodeParameters::duration),
        optional(parameters, "rollback", false, NodeParameters::isTrue),
        optional(parameters, "partition_max", PARTITION_BYTES_MAX_DEFAULT, NodeParameters::bytes),
        path(parameters, "data_directory"),
        optional(parameters, "status_port", 0, NodeParameters::port));
  }

  private static <T> T required(
      Map<String, String> parameters, String name, Function<String, T> reader) {
    if (!parameters.containsKey(name)) {
      throw new ConfigurationException(
          "the memtable of Palinode needs the parameter '%s'".formatted(name));
    }
    return read(name, parameters.remove(name), reader);
  }

  private static <T> T optional(
      Map<String, String> parameters, String name, T otherwise, Function<String, T> reader) {
    return parameters.containsKey(name) ? read(name, parameters.remove(name), reader) : otherwise;
  }

  private static @Nullable Path path(Map<String, String> parameters, String name) {
    return parameters.containsKey(name) ? read(name, parameters.remove(name), Path::of) : null;
  }

  private static <T> T read(String name, @Nullable String text, Function<String, T> reader) {
    try {
      return reader.apply(text == null ? "" : text.strip());
    } catch (IllegalArgumentException | ConfigurationException e) {
      throw new ConfigurationException(
          "the parameter '%s' of the memtable of Palinode cannot be read: %s (%s)"
              .formatted(name, text, e.getMessage()),
          e);
    }
  }

  private static List<InetAddress> addresses(String text) {
    List<InetAddress> addresses = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      try {
        InetAddress address = InetAddress.getByName(each.strip());
        if (each.isBlank() || addresses.contains(address)) {
          throw new IllegalArgumentException("each address must be there once: '" + each + "'");
        }
        addresses.add(address);
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("an address must be known: " + each, e);
      }
    }
    return addresses;
  }

  private static Duration duration(String text) {
    return Duration.ofMillis(new DurationSpec.LongMillisecondsBound(text).toMilliseconds());
  }

  private static long bytes(String text) {
    return new DataStorageSpec.LongBytesBound(text).toBytes();
  }

  private static int port(String text) {
    int port = Integer.parseInt(text);
    if (port < 1 || port > PORT_MAX) {
      throw new IllegalArgumentException("a port is in [1, %d]".formatted(PORT_MAX));
    }
    return port;
  }

  private static boolean isTrue(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("it must be true or false");
    }
    return text.equals("true");
  }

  /** This server's number. Throws {@link ConfigurationException} if its address is not listed. */
  int nodeOf(InetAddress own) {
    int node = nodes.indexOf(own);
    if (node < 0) {
      throw new ConfigurationException(
          "the parameter 'nodes' of the memtable of Palinode must list this node: %s is not in %s"
              .formatted(own.getHostAddress(), nodes));
    }
    return node;
  }

  NodeDetectorConfig detector() {
    KafkaSecurity security =
        kafkaConfig == null ? KafkaSecurity.NONE : KafkaSecurity.read(kafkaConfig);
    return NodeDetectorConfig.of(KafkaSettings.of(kafka).withSecurity(security), Topics.DEFAULT)
        .withPace(ProgressPace.sparing(progressEvery))
        .withLingerMs(LINGER_MS);
  }
}

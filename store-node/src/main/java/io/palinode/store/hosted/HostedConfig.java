package io.palinode.store.hosted;

import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.detector.kafka.ProgressPace;
import io.palinode.hvc.Epsilon;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.store.node.NodeSettings;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The configuration of an agent in another server.
 *
 * @param data the folder of the agent's files
 * @param pace how often progress is published
 * @param failuresMax the internal failures within a minute that turn the agent off
 * @param statusPort the local port of {@code /status} and {@code /metrics}; 0 for none
 */
public record HostedConfig(
    Joining joining,
    Path data,
    NodeSettings node,
    ProgressPace pace,
    int failuresMax,
    int statusPort) {

  /**
   * How the node joins its cluster.
   *
   * @param timeout how long a start of the server waits until the node has joined
   * @param unjoined the reaction if that takes longer
   */
  public record Joining(KafkaSettings kafka, Duration timeout, Unjoined unjoined) {
    public Joining {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException("joinTimeout must be positive: " + timeout);
      }
    }
  }

  /** The reaction of a server whose agent has not reached Kafka. */
  public enum Unjoined {
    /** Serves, and joins when possible. Writes until then are a coverage gap. */
    SERVE,
    /** Does not start. */
    STOP
  }

  /**
   * After a candidate, as often as after any write. Each progress is a request to Kafka, which
   * takes as much processor time as dozens of writes (docs/reference/benchmarks.md).
   */
  private static final ProgressPace PACE_DEFAULT = ProgressPace.sparing(Duration.ofMillis(50));

  /** Combines records of one moment into one request to Kafka. */
  private static final int LINGER_MS = 1;

  private static final Epsilon EPSILON_DEFAULT = Epsilon.parse("10ms");

  /** The keys that it reads. */
  public static final List<String> KEYS =
      List.of(
          "kafka",
          "kafkaConfig",
          "data",
          "epsilon",
          "windowLogAge",
          "windowLogBytes",
          "convergenceWindow",
          "progressEvery",
          "joinTimeout",
          "unjoined",
          "failuresMax",
          "statusPort");

  public HostedConfig {
    if (failuresMax < 1) {
      throw new IllegalArgumentException("failuresMax must be at least 1: " + failuresMax);
    }
    if (statusPort < 0 || statusPort > 65_535) {
      throw new IllegalArgumentException("statusPort must be in [0, 65535]: " + statusPort);
    }
  }

  /**
   * Reads YAML. Throws {@link IllegalArgumentException} with the file, the key and the rule.
   *
   * @param file the name for errors
   */
  public static HostedConfig parse(String file, String yaml) {
    return Settings.read(file, yaml, KEYS, HostedConfig::of);
  }

  /** The values of {@link #KEYS}; other keys are not read. */
  public static HostedConfig of(Settings settings) {
    return new HostedConfig(
        new Joining(
            KafkaSettings.of(settings.required("kafka"))
                .withSecurity(
                    settings.value(
                        "kafkaConfig",
                        KafkaSecurity.NONE,
                        file -> KafkaSecurity.read(Path.of(file)))),
            settings.value("joinTimeout", Duration.ofSeconds(60), Settings::duration),
            settings.value("unjoined", Unjoined.SERVE, HostedConfig::unjoined)),
        Path.of(settings.required("data")),
        node(settings),
        settings.value("progressEvery", PACE_DEFAULT, HostedConfig::pace),
        settings.value("failuresMax", 100, Integer::valueOf),
        settings.value("statusPort", 0, Integer::valueOf));
  }

  private static NodeSettings node(Settings settings) {
    WindowLogConfig defaults = WindowLogConfig.DEFAULT;
    return NodeSettings.of(settings.value("epsilon", EPSILON_DEFAULT, Epsilon::parse))
        .withWindowLog(
            new WindowLogConfig(
                settings.value("windowLogAge", defaults.ageMax(), Settings::duration),
                settings.value("windowLogBytes", defaults.bytesMax(), Settings::bytes)))
        .withConvergenceWindow(
            settings.value(
                "convergenceWindow", NodeSettings.CONVERGENCE_WINDOW_DEFAULT, Settings::duration));
  }

  private static ProgressPace pace(String text) {
    return ProgressPace.sparing(Settings.duration(text));
  }

  private static Unjoined unjoined(String text) {
    for (Unjoined each : Unjoined.values()) {
      if (each.name().equalsIgnoreCase(text)) {
        return each;
      }
    }
    throw new IllegalArgumentException("it must be serve or stop");
  }

  /** The detector's configuration. */
  public NodeDetectorConfig detector() {
    return NodeDetectorConfig.of(joining.kafka(), Topics.DEFAULT)
        .withPace(pace)
        .withLingerMs(LINGER_MS);
  }
}

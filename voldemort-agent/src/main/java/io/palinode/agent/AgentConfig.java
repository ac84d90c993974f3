package io.palinode.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.palinode.detector.kafka.ProgressPace;
import io.palinode.hvc.Epsilon;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.voldemort.StoreNodeConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * What the agent is set to.
 *
 * @param kafka {@code host:port} pairs separated by commas
 * @param data the folder of what the agent itself has to remember
 * @param pace how often progress is told
 * @param joinTimeout how long a start of the server waits until the node has joined
 * @param unjoined what happens when that takes longer
 * @param failuresMax so many of the agent's own failures turn it off
 * @param statusPort {@code /status} and {@code /metrics} of this machine are there; 0: nowhere
 */
record AgentConfig(
    String kafka,
    Path data,
    Epsilon epsilon,
    WindowLogConfig windowLog,
    Duration convergenceWindow,
    ProgressPace pace,
    Duration joinTimeout,
    Unjoined unjoined,
    int failuresMax,
    int statusPort) {

  /** A server whose agent has not heard from Kafka. */
  enum Unjoined {
    /** Serves; it joins once that is possible. What is written until then is lost coverage. */
    SERVE,
    /** Does not start. */
    STOP
  }

  /**
   * After a candidate. Each is a request to Kafka: as often as by a node of ours, they took a tenth
   * of what the server itself took.
   */
  private static final ProgressPace PACE_DEFAULT = ProgressPace.withBusy(Duration.ofMillis(20));

  private static final List<String> KEYS =
      List.of(
          "kafka",
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

  AgentConfig {
    if (kafka.isBlank()) {
      throw new IllegalArgumentException("kafka must be host:port pairs");
    }
    if (joinTimeout.isNegative() || joinTimeout.isZero()) {
      throw new IllegalArgumentException("joinTimeout must be positive: " + joinTimeout);
    }
    if (failuresMax < 1) {
      throw new IllegalArgumentException("failuresMax must be at least 1: " + failuresMax);
    }
    if (statusPort < 0 || statusPort > 65_535) {
      throw new IllegalArgumentException("statusPort must be in [0, 65535]: " + statusPort);
    }
  }

  /**
   * Reads YAML. Throws {@link IllegalArgumentException} which names the file, the key and the rule.
   *
   * @param file how errors call it
   */
  static AgentConfig parse(String file, String yaml) {
    try {
      JsonNode root = new YAMLMapper().readTree(yaml);
      if (!(root instanceof ObjectNode settings)) {
        throw new IllegalArgumentException("it must be a list of 'key: value' lines");
      }
      requireKnown(settings);
      return of(settings);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(file + ": " + e.getOriginalMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static AgentConfig of(ObjectNode settings) {
    WindowLogConfig defaults = WindowLogConfig.DEFAULT;
    return new AgentConfig(
        required(settings, "kafka"),
        Path.of(required(settings, "data")),
        Epsilon.parse(settings.path("epsilon").asText("10ms")),
        new WindowLogConfig(
            value(settings, "windowLogAge", defaults.ageMax(), AgentConfig::duration),
            value(settings, "windowLogBytes", defaults.bytesMax(), AgentConfig::bytes)),
        value(
            settings,
            "convergenceWindow",
            StoreNodeConfig.CONVERGENCE_WINDOW_DEFAULT,
            AgentConfig::duration),
        value(settings, "progressEvery", PACE_DEFAULT, AgentConfig::pace),
        value(settings, "joinTimeout", Duration.ofSeconds(60), AgentConfig::duration),
        value(settings, "unjoined", Unjoined.SERVE, AgentConfig::unjoined),
        value(settings, "failuresMax", 100, Integer::valueOf),
        value(settings, "statusPort", 0, Integer::valueOf));
  }

  private static void requireKnown(ObjectNode settings) {
    for (Iterator<String> names = settings.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!KEYS.contains(name)) {
        throw new IllegalArgumentException(
            "unknown key '%s': the keys are %s".formatted(name, String.join(", ", KEYS)));
      }
      if (!settings.get(name).isValueNode()) {
        throw new IllegalArgumentException("'" + name + "' must be a single value");
      }
    }
  }

  private static String required(ObjectNode settings, String key) {
    if (!settings.hasNonNull(key)) {
      throw new IllegalArgumentException("'" + key + "' is needed");
    }
    return settings.get(key).asText();
  }

  private static <T> T value(
      ObjectNode settings, String key, T otherwise, Function<String, T> reader) {
    if (!settings.hasNonNull(key)) {
      return otherwise;
    }
    String text = settings.get(key).asText();
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' cannot be read: %s (%s)".formatted(key, text, e.getMessage()), e);
    }
  }

  private static ProgressPace pace(String text) {
    return ProgressPace.withBusy(duration(text));
  }

  private static Unjoined unjoined(String text) {
    for (Unjoined each : Unjoined.values()) {
      if (each.name().equalsIgnoreCase(text)) {
        return each;
      }
    }
    throw new IllegalArgumentException("it must be serve or stop");
  }

  /** {@code 500ms}, {@code 10s}, {@code 10m}, {@code 2h}. */
  private static Duration duration(String text) {
    int unitAt = unitAt(text);
    long count = Long.parseLong(text.substring(0, unitAt));
    return switch (text.substring(unitAt)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> throw new IllegalArgumentException("a duration needs a unit: ms, s, m or h");
    };
  }

  /** {@code 1048576}, {@code 64MiB}, {@code 1GiB}. */
  private static long bytes(String text) {
    int unitAt = unitAt(text);
    long count = Long.parseLong(text.substring(0, unitAt));
    return switch (text.substring(unitAt)) {
      case "" -> count;
      case "MiB" -> count << 20;
      case "GiB" -> count << 30;
      default -> throw new IllegalArgumentException("bytes have no unit, or MiB or GiB");
    };
  }

  private static int unitAt(String text) {
    int at = 0;
    while (at < text.length() && Character.isDigit(text.charAt(at))) {
      at++;
    }
    return at;
  }
}

package io.palinode.store.hosted;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * The {@code key: value} lines of a file. Throws {@link IllegalArgumentException} with the key and
 * the rule.
 */
public final class Settings {
  /** In hours this is 114 years; nanoseconds in a long overflow after 292 years. */
  private static final long DURATION_COUNT_MAX = 1_000_000;

  private static final long BYTES_COUNT_MAX = Long.MAX_VALUE >> 30;

  private final ObjectNode lines;

  private Settings(ObjectNode lines) {
    this.lines = lines;
  }

  /**
   * Parses a configuration in YAML. Errors also name the file.
   *
   * @param file the name for errors
   * @param keys the allowed keys
   */
  public static <T> T read(
      String file, String yaml, List<String> keys, Function<Settings, T> configuration) {
    try {
      JsonNode root = new YAMLMapper().readTree(yaml);
      if (!(root instanceof ObjectNode lines)) {
        throw new IllegalArgumentException("it must be a list of 'key: value' lines");
      }
      requireKnown(lines, keys);
      return configuration.apply(new Settings(lines));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(file + ": " + e.getOriginalMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static void requireKnown(ObjectNode lines, List<String> keys) {
    for (Iterator<String> names = lines.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!keys.contains(name)) {
        throw new IllegalArgumentException(
            "unknown key '%s': the keys are %s".formatted(name, String.join(", ", keys)));
      }
      if (!lines.get(name).isValueNode()) {
        throw new IllegalArgumentException("'" + name + "' must be a single value");
      }
    }
  }

  public String required(String key) {
    if (!lines.hasNonNull(key)) {
      throw new IllegalArgumentException("'" + key + "' is needed");
    }
    return lines.get(key).asText();
  }

  public <T> T value(String key, T otherwise, Function<String, T> reader) {
    if (!lines.hasNonNull(key)) {
      return otherwise;
    }
    String text = lines.get(key).asText();
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' cannot be read: %s (%s)".formatted(key, text, e.getMessage()), e);
    }
  }

  /** {@code 500ms}, {@code 10s}, {@code 10m}, {@code 2h}. */
  public static Duration duration(String text) {
    int unitAt = unitAt(text);
    long count = Long.parseLong(text.substring(0, unitAt));
    if (count > DURATION_COUNT_MAX) {
      throw new IllegalArgumentException(
          "the number of a duration must be at most " + DURATION_COUNT_MAX);
    }
    return switch (text.substring(unitAt)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> throw new IllegalArgumentException("a duration needs a unit: ms, s, m or h");
    };
  }

  /** {@code 1048576}, {@code 64MiB}, {@code 1GiB}. */
  public static long bytes(String text) {
    int unitAt = unitAt(text);
    long count = Long.parseLong(text.substring(0, unitAt));
    if (count > BYTES_COUNT_MAX) {
      throw new IllegalArgumentException("the number of a size must be at most " + BYTES_COUNT_MAX);
    }
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

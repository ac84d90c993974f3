package io.palinode.wire;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The properties with which a client identifies itself to Kafka, and encrypts. Immutable.
 *
 * @param properties whose names begin with {@code security.}, {@code sasl.} or {@code ssl.}
 */
public record KafkaSecurity(Map<String, String> properties) {
  /** No identity, no encryption. */
  public static final KafkaSecurity NONE = new KafkaSecurity(Map.of());

  private static final int FILE_BYTES_MAX = 1 << 20;

  public KafkaSecurity {
    for (String name : properties.keySet()) {
      if (!name.matches("(security|sasl|ssl)\\..+")) {
        throw new IllegalArgumentException(
            "a property must begin with security., sasl. or ssl.: '%s'".formatted(name));
      }
    }
    properties = Map.copyOf(properties);
  }

  /**
   * Reads a file of Kafka's client properties. Throws {@link IllegalArgumentException} with the
   * file and the rule.
   */
  public static KafkaSecurity read(Path file) {
    try {
      if (Files.size(file) > FILE_BYTES_MAX) {
        throw new IllegalArgumentException(
            "it must have at most %,d bytes".formatted(FILE_BYTES_MAX));
      }
      Properties lines = new Properties();
      try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        lines.load(reader);
      }
      Map<String, String> properties = new TreeMap<>();
      lines.forEach((name, value) -> properties.put(name.toString(), value.toString().strip()));
      return new KafkaSecurity(properties);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(file + ": there is no such file", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": it cannot be read: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  /** The names alone: values may be secrets. */
  @Override
  public String toString() {
    return "KafkaSecurity" + new TreeMap<>(properties).keySet();
  }
}

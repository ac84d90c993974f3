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
import org.jspecify.annotations.Nullable;

/**
 * The properties with which a client identifies itself to Kafka, and encrypts. Immutable.
 *
 * @param properties whose names begin with {@code security.}, {@code sasl.} or {@code ssl.}, and
 *     the names of the files with keys of decisions
 */
public record KafkaSecurity(Map<String, String> properties) {
  /** Names the file with the private key that signs the decisions of an orchestrator. */
  public static final String DECISION_KEY = "palinode.decision.key";

  /** Names the file with the public keys of orchestrators. */
  public static final String DECISION_KEYS = "palinode.decision.keys";

  /** No identity, no encryption. */
  public static final KafkaSecurity NONE = new KafkaSecurity(Map.of());

  private static final int FILE_BYTES_MAX = 1 << 20;

  public KafkaSecurity {
    for (String name : properties.keySet()) {
      if (!isOfKafka(name) && !name.equals(DECISION_KEY) && !name.equals(DECISION_KEYS)) {
        throw new IllegalArgumentException(
            "a property must begin with security., sasl. or ssl., or be %s or %s: '%s'"
                .formatted(DECISION_KEY, DECISION_KEYS, name));
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

  /** The properties of Kafka's clients. */
  Map<String, String> ofKafka() {
    Map<String, String> all = new TreeMap<>(properties);
    all.keySet().removeIf(name -> !isOfKafka(name));
    return all;
  }

  /** The file with the private key of an orchestrator; null: none. */
  public @Nullable Path decisionKey() {
    return file(DECISION_KEY);
  }

  /** The file with the public keys of orchestrators; null: decisions need no signature. */
  public @Nullable Path decisionKeys() {
    return file(DECISION_KEYS);
  }

  private @Nullable Path file(String name) {
    String value = properties.get(name);
    return value == null ? null : Path.of(value);
  }

  private static boolean isOfKafka(String name) {
    return name.matches("(security|sasl|ssl)\\..+");
  }

  /** The names alone: values may be secrets. */
  @Override
  public String toString() {
    return "KafkaSecurity" + new TreeMap<>(properties).keySet();
  }
}

package io.palinode.detection.file;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one line, as JSON has them. Every refusal is an {@link IllegalArgumentException}
 * with the field and what was wrong.
 */
final class LineFields {
  static final List<String> NAMES =
      List.of(
          "predicate",
          "binding",
          "clause",
          "term",
          "node",
          "seq",
          "start",
          "end",
          "values",
          "version",
          "origin",
          "endedBy");

  private static final ObjectReader JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .readerFor(JsonNode.class);

  private final JsonNode fields;

  private LineFields(JsonNode fields) {
    this.fields = fields;
  }

  static LineFields parse(String line) {
    LineFields parsed = new LineFields(object(line));
    for (Iterator<String> names = parsed.fields.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "unknown field '" + name + "', the nearest one is '" + nearest(name) + "'");
      }
    }
    parsed.requireKind("values", JsonNode::isObject, "an object");
    parsed.text("endedBy");
    return parsed;
  }

  private static JsonNode object(String line) {
    try {
      JsonNode node = JSON.readTree(line);
      if (node.isObject()) {
        return node;
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "not JSON: " + e.getOriginalMessage().lines().findFirst().orElse(""), e);
    }
    throw new IllegalArgumentException("a line must be a JSON object");
  }

  boolean has(String name) {
    return fields.hasNonNull(name);
  }

  /** Null when absent. */
  @Nullable String text(String name) {
    requireKind(name, JsonNode::isTextual, "a text");
    return has(name) ? fields.get(name).textValue() : null;
  }

  /** A whole number, required, in [0, max]. */
  long number(String name, long max) {
    if (!has(name)) {
      throw new IllegalArgumentException("'" + name + "' is missing");
    }
    requireKind(name, JsonNode::isIntegralNumber, "a whole number");
    JsonNode value = fields.get(name);
    if (!value.canConvertToLong() || value.longValue() < 0 || value.longValue() > max) {
      throw new IllegalArgumentException(
          "'" + name + "' must be in [0, " + max + "]: " + name + "=" + value.asText());
    }
    return value.longValue();
  }

  /** The value of the only variable in {@code values}, required. */
  String onlyValue() {
    JsonNode values = fields.path("values");
    if (values.size() != 1) {
      throw new IllegalArgumentException(
          "'values' must hold the variable of the sum, and no other: values=" + values);
    }
    return values.elements().next().asText();
  }

  /** Each value by its key; empty when absent. */
  Map<String, String> valueOf() {
    Map<String, String> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> value : fields.path("values").properties()) {
      if (!value.getValue().isTextual() && !value.getValue().isNumber()) {
        throw new IllegalArgumentException(
            "'values' must hold texts: " + value.getKey() + "=" + value.getValue());
      }
      values.put(value.getKey(), value.getValue().asText());
    }
    return values;
  }

  /** How many entries the start has. */
  int nodes() {
    if (!has("start")) {
      throw new IllegalArgumentException("'start' is missing");
    }
    requireKind("start", JsonNode::isArray, "an array of timestamps");
    return fields.get("start").size();
  }

  /** An array of timestamps, one for each of {@code nodes}; null when absent. */
  @Nullable Hvc hvc(String name, int node, int nodes) {
    requireKind(name, JsonNode::isArray, "an array of timestamps");
    if (!has(name)) {
      return null;
    }
    JsonNode array = fields.get(name);
    if (array.size() != nodes) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' must have "
              + nodes
              + " entries as those before: entries="
              + array.size());
    }
    long[] entries = new long[nodes];
    for (int i = 0; i < nodes; i++) {
      entries[i] = timestamp(name, array.get(i));
    }
    return Hvc.of(node, entries);
  }

  private static long timestamp(String name, JsonNode entry) {
    if (!entry.isTextual() && !entry.isIntegralNumber()) {
      throw new IllegalArgumentException(
          "'" + name + "' must hold timestamps as texts, such as \"980.3\": " + entry);
    }
    try {
      return Hlc.parse(entry.asText());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + name + "': " + e.getMessage(), e);
    }
  }

  /** What a value must be. */
  private interface Kind {
    boolean fits(JsonNode value);
  }

  private void requireKind(String name, Kind kind, String article) {
    if (has(name) && !kind.fits(fields.get(name))) {
      throw new IllegalArgumentException(
          "'" + name + "' must be " + article + ": " + name + "=" + fields.get(name));
    }
  }

  private static String nearest(String name) {
    String nearest = NAMES.get(0);
    for (String known : NAMES) {
      if (distance(name, known) < distance(name, nearest)) {
        nearest = known;
      }
    }
    return nearest;
  }

  /** Insertions, deletions and substitutions between the two, letter case aside. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        char a = Character.toLowerCase(from.charAt(i - 1));
        int substituted = diagonal + (a == Character.toLowerCase(to.charAt(j - 1)) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}

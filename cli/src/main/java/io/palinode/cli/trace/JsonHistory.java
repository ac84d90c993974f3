package io.palinode.cli.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.PointInTime;
import io.palinode.predicate.text.Abridged;
import io.palinode.terminal.Refusal;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a history with one operation on each line. */
final class JsonHistory {
  private static final Set<String> FIELDS =
      Set.of("process", "node", "invoke", "complete", "write", "read");
  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** Of a reason, which may echo a value. */
  static final int REASON_CHARACTERS_MAX = 500;

  private final String source;

  /** {@code source} names the file in errors. */
  JsonHistory(String source) {
    this.source = source;
  }

  /** Refuses the first line that is no operation, with its number. */
  void read(BufferedReader in, History to) throws IOException {
    long number = 1;
    for (String line = in.readLine(); line != null; line = in.readLine(), number++) {
      if (!line.isBlank()) {
        to.add(parse(line, number));
      }
    }
  }

  private Operation parse(String line, long number) {
    try {
      return operation(JSON.readTree(line), number);
    } catch (JsonProcessingException e) {
      throw refused(number, e.getOriginalMessage(), e);
    } catch (IllegalArgumentException e) {
      throw refused(number, String.valueOf(e.getMessage()), e);
    }
  }

  private Refusal refused(long number, String reason, Exception cause) {
    return new Refusal(
        "%s, line %d: %s".formatted(source, number, Abridged.atMost(REASON_CHARACTERS_MAX, reason)),
        cause);
  }

  private static Operation operation(JsonNode json, long number) {
    require(json.isObject(), "a line must be a JSON object");
    json.fieldNames()
        .forEachRemaining(
            name ->
                require(
                    FIELDS.contains(name),
                    "unknown field '%s'; known are process, node, invoke, complete, write, read"
                        .formatted(name)));
    require(json.hasNonNull("invoke"), "field 'invoke' is missing");
    JsonNode node = json.path("node");
    require(
        node.isMissingNode()
            || (node.isIntegralNumber()
                && node.canConvertToInt()
                && node.intValue() >= 0
                && node.intValue() < Hvc.NODES_MAX),
        "'node' must be in [0, %d]: %s".formatted(Hvc.NODES_MAX - 1, node));
    boolean completed = json.hasNonNull("complete");
    return new Operation(
        number,
        node.asInt(0),
        time(json.path("invoke")),
        completed ? time(json.path("complete")) : Operation.UNKNOWN,
        writes(json.path("write")),
        reads(json.path("read")));
  }

  private static void require(boolean met, String rule) {
    if (!met) {
      throw new IllegalArgumentException(rule);
    }
  }

  private static long time(JsonNode json) {
    boolean whole = json.isIntegralNumber() && json.canConvertToLong();
    boolean text = json.isTextual() && Character.isDigit((json.asText() + " ").charAt(0));
    require(whole || text, "a time must be whole microseconds, or a text in ISO 8601: " + json);
    return whole ? Hlc.ofMicros(json.longValue()) : PointInTime.parse(json.asText(), 0);
  }

  private static Map<String, Optional<String>> writes(JsonNode json) {
    Map<String, Optional<String>> writes = new LinkedHashMap<>();
    values(json, "write").forEach((key, value) -> writes.put(key, Optional.ofNullable(value)));
    return writes;
  }

  /** A key that was read as missing has no value. */
  private static Map<String, String> reads(JsonNode json) {
    Map<String, String> reads = new LinkedHashMap<>();
    values(json, "read")
        .forEach(
            (key, value) -> {
              if (value != null) {
                reads.put(key, value);
              }
            });
    return reads;
  }

  private static Map<String, @Nullable String> values(JsonNode json, String field) {
    Map<String, @Nullable String> values = new LinkedHashMap<>();
    require(
        json.isMissingNode() || json.isObject(),
        "'%s' must be an object of keys and values: %s".formatted(field, json));
    for (Map.Entry<String, JsonNode> entry : json.properties()) {
      JsonNode value = entry.getValue();
      require(
          value.isValueNode(),
          "the value of '%s' in '%s' must be a text, a number or null: %s"
              .formatted(entry.getKey(), field, value));
      values.put(entry.getKey(), value.isNull() ? null : value.asText());
    }
    return values;
  }
}

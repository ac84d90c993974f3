package io.palinode.detection.witness;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A value in a JSON text, and where it stands.
 *
 * @param path as people write it, {@code intervals[0].start}; empty for the whole
 * @param value a map of fields, a list of them, a text, a {@code Long}, or null for {@code null}
 */
record JsonField(String path, int line, int column, @Nullable Object value) {
  private static final int DEPTH_MAX = 8;
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  static JsonField parse(String text, String source) throws WitnessFormatException {
    try (JsonParser parser = JSON.createParser(text)) {
      JsonField whole = read(parser, parser.nextToken(), "", source);
      if (parser.nextToken() != null) {
        throw new WitnessFormatException(source, at(parser, "", null), "must end here");
      }
      return whole;
    } catch (JsonProcessingException e) {
      JsonLocation place = e.getLocation();
      String reason = e.getOriginalMessage().lines().findFirst().orElse("");
      throw new WitnessFormatException(
          source,
          place == null ? 1 : place.getLineNr(),
          place == null ? 1 : place.getColumnNr(),
          "not JSON: " + reason,
          e);
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory must be readable", e);
    }
  }

  private static JsonField read(
      JsonParser parser, @Nullable JsonToken token, String path, String source)
      throws IOException, WitnessFormatException {
    JsonField here = at(parser, path, null);
    if (token == null) {
      throw new WitnessFormatException(source, here, "there is nothing in this text");
    }
    if (parser.getParsingContext().getNestingDepth() > DEPTH_MAX) {
      throw new WitnessFormatException(source, here, "is nested deeper than a witness");
    }
    return switch (token) {
      case START_OBJECT -> here.with(fields(parser, path, source));
      case START_ARRAY -> here.with(elements(parser, path, source));
      case VALUE_STRING -> here.with(parser.getText());
      case VALUE_NUMBER_INT -> here.with(parser.getLongValue());
      case VALUE_NULL -> here;
      default ->
          throw new WitnessFormatException(
              source, here, "must be a text or a whole number: " + parser.getText());
    };
  }

  private static Map<String, JsonField> fields(JsonParser parser, String path, String source)
      throws IOException, WitnessFormatException {
    Map<String, JsonField> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      String inner = path.isEmpty() ? name : path + "." + name;
      fields.put(name, read(parser, parser.nextToken(), inner, source));
    }
    return fields;
  }

  private static List<JsonField> elements(JsonParser parser, String path, String source)
      throws IOException, WitnessFormatException {
    List<JsonField> elements = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      elements.add(read(parser, token, path + "[" + elements.size() + "]", source));
    }
    return elements;
  }

  private static JsonField at(JsonParser parser, String path, @Nullable Object value) {
    JsonLocation place = parser.currentTokenLocation();
    return new JsonField(path, place.getLineNr(), place.getColumnNr(), value);
  }

  private JsonField with(Object newValue) {
    return new JsonField(path, line, column, newValue);
  }
}

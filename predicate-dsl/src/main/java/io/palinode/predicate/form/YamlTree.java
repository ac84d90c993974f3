package io.palinode.predicate.form;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.PredicateException;
import io.palinode.predicate.text.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Reads YAML into {@link YamlNode}s, one for each document. Refuses what would let a small file say
 * something large or two things at once: aliases, tags, repeated keys, deep nesting.
 */
final class YamlTree {
  private static final int DEPTH_MAX = 32;
  private static final int LINE_CHARACTERS_MAX = 256 * 1024;
  private static final YAMLFactory FACTORY = factory();

  private final YAMLParser parser;
  private final String source;

  private YamlTree(YAMLParser parser, String source) {
    this.parser = parser;
    this.source = source;
  }

  /** The documents that hold anything. */
  static List<YamlNode> parse(String text, String source) {
    requireShortLines(text, source);
    try (YAMLParser parser = FACTORY.createParser(text)) {
      YamlTree tree = new YamlTree(parser, source);
      try {
        return tree.documents();
      } catch (JsonProcessingException e) {
        throw tree.refusal(e);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("text in memory cannot fail to be read", e);
    }
  }

  /** The YAML parser takes time by the square of a long value's length. */
  private static void requireShortLines(String text, String source) {
    int line = 1;
    int start = 0;
    for (int end = text.indexOf('\n'); start <= text.length(); end = text.indexOf('\n', start)) {
      int length = (end < 0 ? text.length() : end) - start;
      if (length > LINE_CHARACTERS_MAX) {
        throw new Place(source, line, 1)
            .refusal(
                ("a line must have at most %d characters, because long values take long to read;"
                        + " break it into lines: it has %d")
                    .formatted(LINE_CHARACTERS_MAX, length));
      }
      start = end < 0 ? text.length() + 1 : end + 1;
      line++;
    }
  }

  private static YAMLFactory factory() {
    LoaderOptions limits = new LoaderOptions();
    limits.setCodePointLimit(Predicates.DOCUMENT_BYTES_MAX);
    return YAMLFactory.builder()
        .loaderOptions(limits)
        .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
        .build();
  }

  private PredicateException refusal(JsonProcessingException e) {
    if (e.getCause() instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
      Mark mark = marked.getProblemMark();
      return new Place(source, mark.getLine() + 1, mark.getColumn() + 1)
          .refusal("this is not YAML: " + firstLine(marked.getProblem()), e);
    }
    return place().refusal("this is not YAML: " + firstLine(e.getOriginalMessage()), e);
  }

  private List<YamlNode> documents() throws IOException {
    List<YamlNode> documents = new ArrayList<>();
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      YamlNode document = node(token, 1);
      if (!(document instanceof YamlNode.Scalar scalar && scalar.value() == null)) {
        documents.add(document);
      }
    }
    return documents;
  }

  /** Recursion is bounded by {@link #DEPTH_MAX}. */
  private YamlNode node(JsonToken token, int depth) throws IOException {
    Place place = place();
    if (parser.isCurrentAlias()) {
      throw place.refusal("YAML aliases are not supported: '*" + parser.getText() + "'");
    }
    if (parser.getTypeId() != null) {
      throw place.refusal("YAML tags are not supported: '" + parser.getTypeId() + "'");
    }
    if (depth > DEPTH_MAX) {
      throw place.refusal("YAML must be nested at most " + DEPTH_MAX + " deep: depth=" + depth);
    }
    return switch (token) {
      case START_OBJECT -> mapping(place, depth);
      case START_ARRAY -> sequence(place, depth);
      case VALUE_NULL -> new YamlNode.Scalar(null, place);
      default -> new YamlNode.Scalar(parser.getText(), place);
    };
  }

  private YamlNode sequence(Place place, int depth) throws IOException {
    List<YamlNode> items = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      items.add(node(token, depth + 1));
    }
    return new YamlNode.Sequence(items, place);
  }

  private YamlNode mapping(Place place, int depth) throws IOException {
    Map<String, YamlNode.Field> fields = new LinkedHashMap<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_OBJECT;
        token = parser.nextToken()) {
      Text name = new Text(parser.currentName(), place());
      YamlNode value = node(parser.nextToken(), depth + 1);
      YamlNode.Field earlier = fields.putIfAbsent(name.value(), new YamlNode.Field(name, value));
      if (earlier != null) {
        int line = earlier.name().place().line();
        throw name.refusal("field '" + name + "' must not appear twice: first on line " + line);
      }
    }
    return new YamlNode.Mapping(fields, place);
  }

  private Place place() {
    JsonLocation location = parser.currentTokenLocation();
    return new Place(source, location.getLineNr(), location.getColumnNr());
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("").strip();
  }
}

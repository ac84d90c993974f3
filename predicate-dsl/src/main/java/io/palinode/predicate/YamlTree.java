package io.palinode.predicate;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;

/**
 * Reads YAML into {@link YamlNode}s, one for each document. Refuses what would let a small file say
 * something large or two things at once: aliases, tags, repeated keys, deep nesting.
 */
final class YamlTree {
  private static final int DEPTH_MAX = 32;
  private static final YAMLFactory FACTORY = factory();

  private final YAMLParser parser;
  private final String source;

  private YamlTree(YAMLParser parser, String source) {
    this.parser = parser;
    this.source = source;
  }

  /** The documents that hold anything. */
  static List<YamlNode> parse(String text, String source) {
    try (YAMLParser parser = FACTORY.createParser(text)) {
      return new YamlTree(parser, source).documents();
    } catch (JsonProcessingException e) {
      throw place(e.getLocation(), source)
          .refusal("this is not YAML: " + firstLine(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new UncheckedIOException("text in memory cannot fail to be read", e);
    }
  }

  private static YAMLFactory factory() {
    LoaderOptions limits = new LoaderOptions();
    limits.setCodePointLimit(Predicates.DOCUMENT_BYTES_MAX);
    limits.setNestingDepthLimit(DEPTH_MAX);
    return YAMLFactory.builder()
        .loaderOptions(limits)
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
        .build();
  }

  private List<YamlNode> documents() throws IOException {
    List<YamlNode> documents = new ArrayList<>();
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      YamlNode document = node(token);
      if (!(document instanceof YamlNode.Scalar scalar && scalar.value() == null)) {
        documents.add(document);
      }
    }
    return documents;
  }

  /** Recursion is bounded by {@link #DEPTH_MAX}. */
  private YamlNode node(JsonToken token) throws IOException {
    Place place = place();
    if (parser.isCurrentAlias()) {
      throw place.refusal("YAML aliases are not supported: '*" + parser.getText() + "'");
    }
    if (parser.getTypeId() != null) {
      throw place.refusal("YAML tags are not supported: '" + parser.getTypeId() + "'");
    }
    return switch (token) {
      case START_OBJECT -> mapping(place);
      case START_ARRAY -> sequence(place);
      case VALUE_NULL -> new YamlNode.Scalar(null, place);
      default -> new YamlNode.Scalar(parser.getText(), place);
    };
  }

  private YamlNode sequence(Place place) throws IOException {
    List<YamlNode> items = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      items.add(node(token));
    }
    return new YamlNode.Sequence(items, place);
  }

  private YamlNode mapping(Place place) throws IOException {
    Map<String, YamlNode.Field> fields = new LinkedHashMap<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_OBJECT;
        token = parser.nextToken()) {
      Text name = new Text(parser.currentName(), place());
      YamlNode value = node(parser.nextToken());
      YamlNode.Field earlier = fields.putIfAbsent(name.value(), new YamlNode.Field(name, value));
      if (earlier != null) {
        int line = earlier.name().place().line();
        throw name.refusal("field '" + name + "' must not appear twice: first on line " + line);
      }
    }
    return new YamlNode.Mapping(fields, place);
  }

  private Place place() {
    return place(parser.currentTokenLocation(), source);
  }

  private static Place place(JsonLocation location, String source) {
    return new Place(source, location.getLineNr(), location.getColumnNr());
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("").strip();
  }
}

package io.palinode.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.palinode.terminal.ApiClient;
import picocli.CommandLine.Option;

/** In which form a list is printed; a picocli mixin. */
final class ListOutput {
  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder()
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
              .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
              .build());

  private enum Format {
    TABLE,
    WIDE,
    JSON,
    YAML,
    XML,
    NAME
  }

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      paramLabel = "FORMAT",
      description =
          "table, wide (also exact times and further columns), json, yaml, name (one ID or name a"
              + " line), or xml (of one predicate); with the last four, standard output has the"
              + " result only.")
  private Format format = Format.TABLE;

  /** Whether a program reads the result, which is then all of standard output. */
  boolean isForPrograms() {
    return format != Format.TABLE && format != Format.WIDE;
  }

  boolean isWide() {
    return format == Format.WIDE;
  }

  boolean isName() {
    return format == Format.NAME;
  }

  boolean isJson() {
    return format == Format.JSON;
  }

  boolean isXml() {
    return format == Format.XML;
  }

  /** The list, or one item, as a program reads it. */
  String whole(Resource resource, JsonNode items) {
    return switch (format) {
      case YAML -> yaml(items);
      case NAME -> names(resource, items);
      case TABLE, WIDE, JSON, XML -> items.toPrettyString() + "\n";
    };
  }

  /** An item of a list without an end: a line of JSON, a YAML document, or a name. */
  String next(Resource resource, JsonNode item) {
    return switch (format) {
      case YAML -> "---\n" + yaml(item);
      case NAME -> names(resource, item);
      case TABLE, WIDE, JSON, XML -> item + "\n";
    };
  }

  private static String names(Resource resource, JsonNode items) {
    StringBuilder names = new StringBuilder();
    (items.isArray() ? items : ApiClient.JSON.createArrayNode().add(items))
        .forEach(item -> names.append(resource.id(item)).append('\n'));
    return names.toString();
  }

  private static String yaml(JsonNode json) {
    try {
      return YAML.writeValueAsString(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of JSON must be writable", e);
    }
  }
}

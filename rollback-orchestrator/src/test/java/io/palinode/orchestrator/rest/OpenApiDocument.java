package io.palinode.orchestrator.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The description of the API, for tests. */
record OpenApiDocument(JsonNode root) {
  private static final String OF_PATH = "parameters";

  static OpenApiDocument read() {
    try (InputStream text = RestServer.class.getResourceAsStream("openapi.yaml")) {
      return new OpenApiDocument(new ObjectMapper(new YAMLFactory()).readTree(text));
    } catch (IOException e) {
      throw new UncheckedIOException("the description must be readable", e);
    }
  }

  /** By method and path; {@code ofPath} has the parameters of the path. */
  Map<String, JsonNode> operations() {
    Map<String, JsonNode> operations = new TreeMap<>();
    root.path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        method -> {
                          if (!method.getKey().equals(OF_PATH)) {
                            ObjectNode operation = method.getValue().deepCopy();
                            operation.set("ofPath", path.getValue().path(OF_PATH));
                            operations.put(
                                method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
                                operation);
                          }
                        }));
    return operations;
  }

  JsonNode operation(String route) {
    return Objects.requireNonNull(operations().get(route), route);
  }

  JsonNode schemas() {
    return root.path("components").path("schemas");
  }

  /** The node that a {@code $ref} names, or the node itself. */
  JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? root.at(node.get("$ref").asText().substring(1)) : node;
  }

  /** What is wrong with the JSON by the schema; empty: it fits. */
  List<String> faults(JsonNode schema, JsonNode json) {
    ObjectNode whole = schema.deepCopy();
    whole.set("components", root.path("components"));
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
        .getSchema(whole)
        .validate(json)
        .stream()
        .map(String::valueOf)
        .toList();
  }

  static Stream<JsonNode> items(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}

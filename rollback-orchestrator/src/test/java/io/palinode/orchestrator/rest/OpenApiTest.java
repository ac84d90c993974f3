package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.swagger.v3.parser.OpenAPIV3Parser;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The description has the routes and parameters that the server has, and no others. */
class OpenApiTest extends RestFixture {
  private static final Pattern KNOWN = Pattern.compile("has no parameter 'absurd'; it has (.*)");
  private static final Pattern IN_PATH = Pattern.compile("\\{(\\w+)}");

  private final OpenApiDocument document = OpenApiDocument.read();

  @Test
  void itIsValid() throws Exception {
    String text = send("GET", "/api/v1/openapi.yaml", "").body();
    assertThat(text).startsWith("openapi: 3.1.0\n");
    assertThat(new OpenAPIV3Parser().readContents(text).getMessages()).isEmpty();
    String broken = text.replaceFirst("summary:", "sumary:");
    assertThat(new OpenAPIV3Parser().readContents(broken).getMessages()).isNotEmpty();
  }

  @Test
  void itHasEveryRouteOfTheServerAndNoOther() {
    assertThat(document.operations().keySet()).isEqualTo(server.routes().keySet());
  }

  @Test
  void everyOperationHasItsPathParameters() {
    document
        .operations()
        .forEach(
            (route, operation) -> {
              Matcher named = IN_PATH.matcher(route);
              assertThat(parameters(operation, "path"))
                  .as(route)
                  .isEqualTo(new TreeSet<>(named.results().map(name -> name.group(1)).toList()));
            });
  }

  @Test
  void everyOperationHasTheQueryParametersThatTheServerKnows() throws Exception {
    for (String route : document.operations().keySet()) {
      String[] words = route.split(" ", 2);
      String path = IN_PATH.matcher(words[1]).replaceAll("1");
      HttpResponse<String> refused = send(words[0], path + "?absurd=1", "");
      assertThat(refused.statusCode()).as(route).isEqualTo(400);
      Matcher known = KNOWN.matcher(error(refused));
      Set<String> ofServer = known.find() ? Set.of(known.group(1).split(", ")) : Set.of();
      JsonNode operation = document.operation(route);
      assertThat(parameters(operation, "query"))
          .as(route)
          .isEqualTo(ofServer.equals(Set.of("none")) ? new TreeSet<>() : new TreeSet<>(ofServer));
    }
  }

  @Test
  void everyOperationHasOneNameASummaryAndAnErrorForTheRest() {
    List<String> names = new ArrayList<>();
    document
        .operations()
        .forEach(
            (route, operation) -> {
              names.add(operation.path("operationId").asText());
              assertThat(operation.path("summary").asText()).as(route).endsWith(".");
              assertThat(operation.path("responses").has("default")).as(route).isTrue();
            });
    assertThat(names).doesNotContain("").doesNotHaveDuplicates();
  }

  private Set<String> parameters(JsonNode operation, String in) {
    return new TreeSet<>(
        Stream.of(operation.path("parameters"), operation.path("ofPath"))
            .flatMap(OpenApiDocument::items)
            .map(document::resolved)
            .filter(parameter -> parameter.path("in").asText().equals(in))
            .map(parameter -> parameter.path("name").asText())
            .toList());
  }
}

package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors have the form of RFC 9457. */
class ProblemTest extends RestFixture {
  private static final Path PAGE = Path.of("../docs/reference/rest.md");

  @ParameterizedTest
  @CsvSource({
    "GET, /api/v1/violations?limit=0, , 400, Bad Request, invalid-request",
    "GET, /api/v1/status?absurd=1, , 400, Bad Request, invalid-request",
    "POST, /api/v1/rollbacks, [, 400, Bad Request, invalid-request",
    "PUT, /api/v1/predicates, [, 400, Bad Request, invalid-predicate",
    "GET, /api/v2, , 404, Not Found, no-such-route",
    "GET, /api/v1/predicates/q, , 404, Not Found, no-such-predicate",
    "DELETE, /api/v1/predicates/q, , 404, Not Found, no-such-predicate",
    "GET, /api/v1/violations/v2, , 404, Not Found, no-such-violation",
    "GET, /api/v1/violations/v2/witness, , 404, Not Found, no-such-violation",
    "GET, /api/v1/rollbacks/2, , 404, Not Found, no-such-rollback",
    "POST, /api/v1/rollbacks/x/abandon?asIs=true, , 404, Not Found, no-such-rollback",
    "GET, /api/v1/snapshots/none, , 404, Not Found, no-such-snapshot",
    "GET, /metrics, , 404, Not Found, no-metrics",
    "DELETE, /api/v1/status, , 405, Method Not Allowed, method-not-allowed",
    "POST, /api/v1/rollbacks/1/cancel, , 409, Conflict, refused",
  })
  void anErrorHasItsCode(
      String method, String path, @Nullable String body, int status, String title, String code)
      throws Exception {
    HttpResponse<String> answer = send(method, path, body == null ? "" : body);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
    JsonNode problem = new ObjectMapper().readTree(answer.body());
    assertThat(problem.get("type").asText()).isEqualTo("about:blank");
    assertThat(problem.get("title").asText()).isEqualTo(title);
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(problem.get("code").asText()).isEqualTo(code);
    assertThat(problem.get("detail").asText()).isNotBlank();
    assertThat(problem.get("error")).as("for earlier clients").isEqualTo(problem.get("detail"));
  }

  @Test
  void aReasonDoesNotRepeatALongTextOfTheRequest() throws Exception {
    String unknown = "x".repeat(20_000);
    HttpResponse<String> answer =
        send("POST", "/api/v1/rollbacks", "{\"%s\": 1}".formatted(unknown));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(error(answer)).hasSize(2_000).contains("xxx").endsWith("…");
  }

  @Test
  void whatCannotBeWrittenNowIsUnavailable() throws Exception {
    backend.unavailable = true;
    String predicate =
        "{apiVersion: palinode.io/v1, kind: Predicate, metadata: {name: p}, spec: {violation:"
            + " [{all: [{var: x, equals: \"1\"}]}]}}";
    assertThat(send("PUT", "/api/v1/predicates", predicate).body())
        .contains("\"code\":\"unavailable\"");
    backend.failure = "a log is gone";
    assertThat(send("GET", "/healthz", "").body()).contains("\"code\":\"not-healthy\"");
  }

  @Test
  void thePageListsEveryCode() throws Exception {
    String page = Files.readString(PAGE);
    assertThat(Arrays.stream(ProblemCode.values()).map(ProblemCode::label))
        .allSatisfy(label -> assertThat(page).contains("| `" + label + "` |"));
  }
}

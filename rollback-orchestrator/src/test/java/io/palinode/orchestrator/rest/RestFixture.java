package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The API over a backend that is a map, and requests to it. */
class RestFixture {
  private static final ObjectMapper JSON = new ObjectMapper();

  final FakeBackend backend = new FakeBackend();
  RestServer server;

  @BeforeEach
  void start() {
    server = new RestServer(RestSettings.DEFAULT, backend);
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    return ok(send("GET", path, ""));
  }

  static JsonNode ok(HttpResponse<String> answer) throws IOException {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  static String error(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body()).get("detail").asText();
  }

  /**
   * @param headers names and values, in turn
   */
  HttpResponse<String> send(String method, String path, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}

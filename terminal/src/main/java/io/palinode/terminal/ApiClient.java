package io.palinode.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Talks to the REST API of a running cluster; a picocli mixin. */
public final class ApiClient {
  public static final ObjectMapper JSON = new ObjectMapper();

  /** A later server may send more fields; each that a view has must be there. */
  private static final ObjectMapper VIEWS =
      new ObjectMapper()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES);

  /** Longer than the server takes to learn from Kafka what became of a write. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  @Option(
      names = "--server",
      paramLabel = "URL",
      defaultValue = "${env:PALINODE_SERVER:-http://127.0.0.1:6766}",
      description =
          "The address of the API, as 'palinode up' prints it (default: $PALINODE_SERVER, else"
              + " http://127.0.0.1:6766).")
  private String server = "";

  /** For the command line to fill. */
  public ApiClient() {}

  /** Of the API at {@code url}. */
  public static ApiClient at(String url) {
    ApiClient client = new ApiClient();
    client.server = url;
    return client;
  }

  public JsonNode get(String path) {
    return send("GET", path, null);
  }

  public <T> T get(String path, Class<T> view) {
    return view(get(path), view);
  }

  /**
   * A page of a list.
   *
   * @param total how many items match, on all pages
   */
  public record Page(JsonNode items, long total) {}

  public Page page(String path) {
    HttpResponse<String> response = exchange("GET", path, null);
    JsonNode items = parsed(response.body());
    return new Page(
        items, response.headers().firstValueAsLong("X-Total-Count").orElse(items.size()));
  }

  public JsonNode put(String path, String body) {
    return send("PUT", path, body);
  }

  public JsonNode post(String path) {
    return send("POST", path, null);
  }

  public JsonNode post(String path, String body) {
    return send("POST", path, body);
  }

  public <T> T post(String path, String body, Class<T> view) {
    return view(post(path, body), view);
  }

  public JsonNode delete(String path) {
    return send("DELETE", path, null);
  }

  /**
   * Returns {@code answer} as a view. Throws {@link Refusal}, which names the field, if it is none.
   */
  public <T> T view(JsonNode answer, Class<T> view) {
    try {
      return VIEWS.treeToValue(answer, view);
    } catch (JsonMappingException e) {
      throw new Refusal(
          "%s answers without a readable field '%s': use the palinode command of its release"
              .formatted(server, field(e)),
          e);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of JSON has no syntax to be wrong", e);
    }
  }

  private static String field(JsonMappingException e) {
    return e.getPath().stream()
        .map(at -> at.getFieldName() == null ? "[" + at.getIndex() + "]" : at.getFieldName())
        .collect(Collectors.joining("."));
  }

  public static String segment(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Throws {@link Refusal} with the server's reason for 4xx, and when there is no server; {@link
   * Outage} for 5xx, and when it does not answer in time.
   */
  private JsonNode send(String method, String path, @Nullable String body) {
    return parsed(exchange(method, path, body).body());
  }

  private HttpResponse<String> exchange(String method, String path, @Nullable String body) {
    HttpRequest.BodyPublisher publisher =
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body);
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(server + path))
              .timeout(ANSWER_MAX)
              .method(method, publisher)
              .build();
      HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() >= 400) {
        String reason =
            parsed(response.body())
                .path("detail")
                .asText("the server answered " + response.statusCode());
        throw response.statusCode() >= 500 ? new Outage(reason) : new Refusal(reason);
      }
      return response;
    } catch (IllegalArgumentException e) {
      throw new Refusal("--server must be a URL like http://127.0.0.1:6766: '" + server + "'", e);
    } catch (HttpConnectTimeoutException e) {
      throw new Refusal(server + " cannot be reached: name another with --server", e);
    } catch (HttpTimeoutException e) {
      throw new Outage(
          "%s did not answer within %d s, so the outcome is unknown; see 'palinode status'"
              .formatted(server, ANSWER_MAX.toSeconds()),
          e);
    } catch (IOException e) {
      throw new Refusal(
          "no cluster answers at "
              + server
              + ": start one with 'palinode up', or name it with --server",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted while waiting for " + server, e);
    }
  }

  private JsonNode parsed(String body) {
    try {
      return body.isEmpty() ? JSON.createObjectNode() : JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new Refusal(
          "what answers at " + server + " is not a Palinode cluster: name one with --server", e);
    }
  }
}

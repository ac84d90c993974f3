package io.palinode.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;
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

  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final long UNKNOWN = -1;
  private static final int UNAUTHORIZED = 401;
  private static final Pattern URL_FORM = Pattern.compile("https?://[^/\\s]+\\S*");
  private static final Pattern NEXT = Pattern.compile("<([^>]*)>; rel=\"next\"");
  private static final String NAME_TOKEN =
      "; name the file of your token with PALINODE_TOKEN_FILE or 'palinode config set-context'";

  @Option(
      names = "--server",
      paramLabel = "URL",
      defaultValue = "${env:PALINODE_SERVER:-http://127.0.0.1:6766}",
      description =
          "The address of the API, as 'palinode up' prints it (default: $PALINODE_SERVER, else"
              + " that of the context, else http://127.0.0.1:6766).")
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
   * @param next the path of the next page; null: this is the last one
   */
  public record Page(JsonNode items, long total, @Nullable String next) {}

  /**
   * @param total the header {@code X-Total-Count}, if the server sends it
   * @param link the header {@code Link}, if the server sends it
   */
  private record Answer(String body, long total, @Nullable String link) {}

  public Page page(String path) {
    Answer answer = exchange("GET", path, null);
    JsonNode items = parsed(answer.body());
    Matcher next = NEXT.matcher(answer.link() == null ? "" : answer.link());
    return new Page(
        items,
        answer.total() == UNKNOWN ? items.size() : answer.total(),
        next.matches() ? next.group(1) : null);
  }

  /** The first {@code max} items of a list. A page may have fewer, since its bytes are limited. */
  public Page pages(String path, int max) {
    Page first = page(path);
    ArrayNode items = JSON.createArrayNode();
    first.items().forEach(items::add);
    Page latest = first;
    while (items.size() < max && latest.next() != null) {
      latest = page(latest.next());
      for (JsonNode item : latest.items()) {
        if (items.size() < max) {
          items.add(item);
        }
      }
    }
    return new Page(items, first.total(), latest.next());
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

  /** Whether the text can be the address of an API. */
  public static boolean isUrl(String text) {
    return URL_FORM.matcher(text).matches();
  }

  public static String segment(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Throws {@link Refusal} with the server's reason for 4xx; {@link Unreachable} when there is no
   * server; {@link Outage} for 5xx, and when it does not answer in time.
   */
  private JsonNode send(String method, String path, @Nullable String body) {
    return parsed(exchange(method, path, body).body());
  }

  private Answer exchange(String method, String path, @Nullable String body) {
    boolean sends = body != null || method.equals("POST");
    byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
    HttpURLConnection connection =
        connection(method, path, sends ? OptionalInt.of(bytes.length) : OptionalInt.empty());
    try {
      if (sends) {
        connection.getOutputStream().write(bytes);
      }
      int status = connection.getResponseCode();
      InputStream stream =
          status >= 400 ? connection.getErrorStream() : connection.getInputStream();
      String text = stream == null ? "" : new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      if (status >= 400) {
        String reason = parsed(text).path("detail").asText("the server answered " + status);
        throw status >= 500
            ? new Outage(reason)
            : new Refusal(status == UNAUTHORIZED ? reason + NAME_TOKEN : reason);
      }
      return new Answer(
          text,
          connection.getHeaderFieldLong("X-Total-Count", UNKNOWN),
          connection.getHeaderField("Link"));
    } catch (SocketTimeoutException e) {
      throw new Outage(
          "%s did not answer within %d s, so the outcome is unknown; see 'palinode status'"
              .formatted(server, ANSWER_MAX.toSeconds()),
          e);
    } catch (IOException e) {
      throw server.startsWith("http:") ? noAnswer(e) : noCluster(e);
    } finally {
      connection.disconnect();
    }
  }

  /** Not {@code java.net.http}: it prepares TLS for each URL, and its thread delays the exit. */
  private HttpURLConnection connection(String method, String path, OptionalInt length) {
    try {
      URL url = URI.create(server + path).toURL();
      if (url.getHost().isEmpty()
          || !(url.openConnection() instanceof HttpURLConnection connection)) {
        throw new MalformedURLException("not a URL of HTTP");
      }
      identify(connection);
      connection.setRequestMethod(method);
      connection.setInstanceFollowRedirects(false);
      connection.setConnectTimeout(Math.toIntExact(CONNECT_MAX.toMillis()));
      connection.setReadTimeout(Math.toIntExact(ANSWER_MAX.toMillis()));
      if (length.isPresent()) {
        connection.setDoOutput(true);
        // JSON is YAML. Java would name the type of a form, which the server refuses.
        connection.setRequestProperty("Content-Type", "application/yaml");
        // Java would send a POST again after a lost answer, but not one of known length.
        connection.setFixedLengthStreamingMode(length.getAsInt());
      }
      connection.connect();
      return connection;
    } catch (IllegalArgumentException | MalformedURLException e) {
      throw new Refusal("--server must be a URL like http://127.0.0.1:6766: '" + server + "'", e);
    } catch (SocketTimeoutException e) {
      throw new Unreachable(server + " cannot be reached: name another with --server", e);
    } catch (IOException e) {
      throw noCluster(e);
    }
  }

  private void identify(HttpURLConnection connection) {
    Credentials credentials = Credentials.forServer(server);
    if (connection instanceof HttpsURLConnection secured) {
      secured.setSSLSocketFactory(credentials.tls().getSocketFactory());
    }
    String token = credentials.token(server);
    if (token != null) {
      connection.setRequestProperty("Authorization", "Bearer " + token);
    }
  }

  private Unreachable noAnswer(IOException e) {
    return new Unreachable(
        "%s ended the connection without an answer: ask again, or write https:// if it serves TLS"
            .formatted(server),
        e);
  }

  private Unreachable noCluster(IOException e) {
    if (e instanceof SSLException) {
      return new Unreachable(
          "no trusted connection to %s: %s; name its authority with PALINODE_CA or a context"
              .formatted(server, e.getMessage()),
          e);
    }
    return new Unreachable(
        "no orchestrator answers at %s: start it ('palinode up' or 'palinode run orchestrator'), or name another with --server"
            .formatted(server),
        e);
  }

  private JsonNode parsed(String body) {
    try {
      return body.isEmpty() ? JSON.createObjectNode() : JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new Unreachable(
          "what answers at " + server + " is not a Palinode cluster: name one with --server", e);
    }
  }
}

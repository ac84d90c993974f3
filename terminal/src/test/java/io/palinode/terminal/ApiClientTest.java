package io.palinode.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ApiClientTest {
  private final ApiClient api = ApiClient.at("http://here");

  private record Node(int id, @Nullable String failure) {}

  private record Cluster(long epoch, List<Node> nodes) {}

  @Test
  void fieldsOfALaterServerAreIgnored() throws JsonProcessingException {
    assertThat(read("{\"epoch\":3,\"new\":{},\"nodes\":[{\"id\":1,\"failure\":null}]}"))
        .isEqualTo(new Cluster(3, List.of(new Node(1, null))));
  }

  @Test
  void aMissingFieldIsNamed() {
    assertThatThrownBy(() -> read("{\"epoch\":3,\"nodes\":[{\"failure\":null}]}"))
        .isInstanceOf(Refusal.class)
        .hasMessage(
            "http://here answers without a readable field 'nodes.[0].id':"
                + " use the palinode command of its release");
  }

  @Test
  void aFieldOfAnotherKindIsNamed() {
    assertThatThrownBy(() -> read("{\"epoch\":\"none\",\"nodes\":[]}"))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("'epoch'");
  }

  /** The server refuses the types of forms, which Java names by itself. */
  @Test
  void aBodyIsSentWithATypeThatTheServerReads() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String type = exchange.getRequestHeaders().getFirst("Content-Type");
          String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          byte[] answer = "{\"type\":\"%s\",\"body\":\"%s\"}".formatted(type, body).getBytes(UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try {
      ApiClient client = ApiClient.at("http://127.0.0.1:" + server.getAddress().getPort());
      JsonNode put = client.put("/", "a: ä");
      assertThat(put.path("type").asText()).isEqualTo("application/yaml");
      assertThat(put.path("body").asText()).isEqualTo("a: ä");
      assertThat(client.post("/").path("body").asText()).isEmpty();
      assertThat(client.delete("/").path("type").asText()).isEqualTo("null");
    } finally {
      server.stop(0);
    }
  }

  /** As a server of TLS does. */
  @Test
  void aServerThatSpeaksNoHttpIsNotCalledAbsent() throws Exception {
    byte[] alert = {0x15, 3, 3, 0, 2, 2, 10};
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server =
          new Thread(
              () -> {
                // Java asks once more.
                while (!listening.isClosed()) {
                  try (Socket accepted = listening.accept()) {
                    accepted.getOutputStream().write(alert);
                  } catch (IOException closed) {
                    return;
                  }
                }
              });
      server.start();
      ApiClient client = ApiClient.at("http://127.0.0.1:" + listening.getLocalPort());
      assertThatThrownBy(() -> client.get("/"))
          .isInstanceOf(Unreachable.class)
          .hasMessageEndingWith("ask again, or write https:// if it serves TLS");
    }
  }

  /** The server's pages have a limit of bytes too. */
  @Test
  void aListContinuesOnTheNextPageUntilItsLimit() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/list",
        exchange -> {
          String query = exchange.getRequestURI().getRawQuery();
          int from = query == null ? 0 : Integer.parseInt(query.substring(1));
          byte[] answer = "[%d,%d]".formatted(from, from + 1).getBytes(UTF_8);
          exchange.getResponseHeaders().add("X-Total-Count", "6");
          if (from < 4) {
            String link = "</list?b%d>; rel=\"next\"".formatted(from + 2);
            exchange.getResponseHeaders().add("Link", link);
          }
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try {
      ApiClient client = ApiClient.at("http://127.0.0.1:" + server.getAddress().getPort());
      assertThat(client.pages("/list", 3).items().toString()).isEqualTo("[0,1,2]");
      ApiClient.Page all = client.pages("/list", 100);
      assertThat(all.items().toString()).isEqualTo("[0,1,2,3,4,5]");
      assertThat(all.total()).isEqualTo(6);
      assertThat(all.next()).isNull();
    } finally {
      server.stop(0);
    }
  }

  private Cluster read(String json) throws JsonProcessingException {
    return api.view(ApiClient.JSON.readTree(json), Cluster.class);
  }
}

package io.palinode.orchestrator.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What strangers can send, as bytes on a socket. */
class RequestGuardTest extends RestFixture {
  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::2]"})
  void aForeignHostIsRefused(String host) throws IOException {
    assertThat(answer("GET /api/v1/status HTTP/1.1\r\nHost: " + host)).startsWith("HTTP/1.1 4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "localhost:1", "127.0.0.1:6766", "[::1]:6766", "LOCALHOST"})
  void aNameOfThisMachineIsServed(String host) throws IOException {
    assertThat(answer("GET /api/v1/status HTTP/1.1\r\nHost: " + host)).startsWith("HTTP/1.1 200");
  }

  @Test
  @Timeout(60)
  void requestsThatWaitForOthersLeaveThreadsToProbes() throws Exception {
    CountDownLatch kafkaAnswers = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(RequestGuard.WAITING_MAX);
    backend.examination =
        () -> {
          begun.countDown();
          awaitQuietly(kafkaAnswers);
        };
    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    for (int i = 0; i < RequestGuard.WAITING_MAX; i++) {
      waiting.add(
          HttpClient.newHttpClient()
              .sendAsync(
                  HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/doctor")).build(),
                  BodyHandlers.ofString()));
    }
    begun.await();
    HttpResponse<String> more = send("GET", "/api/v1/doctor", "");
    assertThat(more.statusCode()).isEqualTo(503);
    assertThat(error(more)).startsWith("4 requests wait for nodes or Kafka already");
    assertThat(send("GET", "/livez", "").statusCode()).isEqualTo(200);
    kafkaAnswers.countDown();
    for (CompletableFuture<HttpResponse<String>> one : waiting) {
      assertThat(one.get().statusCode()).isEqualTo(200);
    }
    assertThat(send("GET", "/api/v1/doctor", "").statusCode()).isEqualTo(200);
  }

  @Test
  void theConsoleIsServedToThisMachineAlone() throws IOException {
    assertThat(answer("GET / HTTP/1.1\r\nHost: localhost"))
        .startsWith("HTTP/1.1 200")
        .contains("Content-Security-Policy: default-src 'none'");
    assertThat(answer("GET / HTTP/1.1\r\nHost: evil.example")).startsWith("HTTP/1.1 403");
  }

  @ParameterizedTest
  @CsvSource({
    "http://evil.example, 403",
    "null, 403",
    "https://localhost:7, 403",
    "http://localhost:8, 403",
    "http://localhost:7, 200",
  })
  void aForeignOriginIsRefused(String origin, int status) throws IOException {
    assertThat(answer("GET /api/v1/nodes HTTP/1.1\r\nHost: localhost:7\r\nOrigin: " + origin))
        .startsWith("HTTP/1.1 " + status);
  }

  @ParameterizedTest
  @CsvSource({
    "text/plain, 415",
    "TEXT/PLAIN; charset=utf-8, 415",
    "application/x-www-form-urlencoded, 415",
    "multipart/form-data, 415",
    "application/yaml, 400",
    "application/json; charset=utf-8, 400",
  })
  void aBodyThatABrowserSendsWithoutAskingIsRefused(String type, int status) throws IOException {
    String request =
        "PUT /api/v1/predicates HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Type: ";
    assertThat(answer(request + type, "x")).startsWith("HTTP/1.1 " + status);
  }

  @Test
  void aSecondMethodInAHeaderIsRefused() throws IOException {
    assertThat(
            answer(
                "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n"
                    + "x-http-method-override: DELETE"))
        .startsWith("HTTP/1.1 400")
        .contains("leave out X-HTTP-Method-Override");
  }

  /** Javalin would keep a session for each, before it checks the user. */
  @Test
  void aRequestForAWebSocketLeavesNoSession() throws IOException {
    assertThat(
            answer(
                "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
        .startsWith("HTTP/1.1 200")
        .doesNotContain("Set-Cookie");
  }

  @Test
  void theAnswerToAUrlThatIsNoneNamesTheEndOfTheConnection() throws IOException {
    assertThat(answer("GET /api/v1/violations/%00 HTTP/1.1\r\nHost: localhost"))
        .startsWith("HTTP/1.1 400")
        .contains("Connection: close");
  }

  @Test
  void aBodyOfUnknownLengthIsRefused() throws IOException {
    assertThat(
            answer(
                "PUT /api/v1/predicates HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked",
                "1\r\nx\r\n0\r\n\r\n"))
        .startsWith("HTTP/1.1 411")
        .contains("Content-Length");
  }

  @Test
  void aBodyThatIsTooLongIsRefusedBeforeItIsSent() throws IOException {
    assertThat(
            answer(
                "PUT /api/v1/predicates HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999"))
        .startsWith("HTTP/1.1 413");
  }

  @Test
  void slowClientsDoNotKeepOthersFromTheirAnswer() throws IOException {
    int bodies = 40;
    List<Socket> slow = new ArrayList<>();
    List<Socket> slowBodies = new ArrayList<>();
    try {
      for (int i = 0; i < bodies; i++) {
        Socket socket = connect();
        slow.add(socket);
        slowBodies.add(socket);
        send(
            socket,
            "PUT /api/v1/predicates HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx");
        Socket noHeader = connect();
        slow.add(noHeader);
        send(noHeader, "GET /healthz HTTP/1.1\r\nHost: loc");
      }
      assertThat(answer("GET /healthz HTTP/1.1\r\nHost: localhost")).startsWith("HTTP/1.1 200");
      // Without the guard, slow bodies take all threads until each meets its own time limit.
      int refused = 0;
      for (Socket socket : slowBodies) {
        refused += status(socket).equals("HTTP/1.1 503") ? 1 : 0;
      }
      assertThat(refused).isBetween(bodies / 2, bodies - RequestGuard.BODIES_MAX);
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void aSmallBodyThatIsDelayedIsRead() throws Exception {
    String head = "POST /api/v1/rollbacks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    try (Socket socket = connect()) {
      send(socket, head);
      send(socket, "Content-Length: 2\r\n\r\n{");
      // Longer than the body would take at 1,024 bytes/s.
      assertThat(answer("GET /healthz HTTP/1.1\r\nHost: localhost")).startsWith("HTTP/1.1 200");
      Awaitility.await().pollDelay(Duration.ofMillis(500)).until(() -> true);
      send(socket, "}");
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 400");
    }
  }

  @Test
  void aBodyThatStopsIsATimeout() throws Exception {
    String head =
        "POST /api/v1/rollbacks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{";
    try (Socket socket = connect()) {
      send(socket, head);
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 408").contains("the body has not arrived");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "[null]",
        "{\"to\": null, \"keys\": [null]}",
        "{\"violation\": [null]}",
        "[]",
        "7",
        "\"\"",
      })
  void absurdJsonIsABadRequest(String body) throws IOException, InterruptedException {
    for (String path :
        List.of("/api/v1/rollbacks", "/api/v1/rollbacks/plan", "/api/v1/snapshots")) {
      assertThat(send("POST", path, body).statusCode()).as(path).isEqualTo(400);
    }
    assertThat(send("PUT", "/api/v1/snapshot-schedule", body).statusCode()).isEqualTo(400);
    assertThat(send("PUT", "/api/v1/predicates", body).statusCode()).isEqualTo(400);
  }

  private String answer(String head) throws IOException {
    return answer(head, "");
  }

  private String answer(String head, String body) throws IOException {
    try (Socket socket = connect()) {
      send(socket, head + "\r\nConnection: close\r\n\r\n" + body);
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
  }

  /** Of the answer; less if the connection ends without one. */
  private static String status(Socket socket) throws IOException {
    try {
      return new String(socket.getInputStream().readNBytes("HTTP/1.1 503".length()), US_ASCII);
    } catch (SocketException reset) {
      return "";
    }
  }

  private Socket connect() throws IOException {
    URI url = URI.create(server.url());
    Socket socket = new Socket(url.getHost(), url.getPort());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    socket.getOutputStream().flush();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.orchestrator.rest.access.AccessSettings;
import io.palinode.orchestrator.rest.access.OidcSettings;
import io.palinode.orchestrator.rest.access.Role;
import io.palinode.orchestrator.rest.access.Tokens;
import io.palinode.tls.ClientFiles;
import io.palinode.tls.ClientTls;
import io.palinode.tls.ServerFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users, roles and TLS of the API, over real connections. */
@Timeout(120)
class AccessTest {
  private static final Path CERTIFICATES = Path.of("../tls/src/test/certificates");
  private static final List<Role> USERS =
      List.of(Role.VIEWER, Role.EDITOR, Role.OPERATOR, Role.ADMIN);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private final FakeBackend backend = new FakeBackend();
  private final Map<Role, String> tokens = new EnumMap<>(Role.class);
  private Path users = Path.of("");
  private @Nullable RestServer server;

  @BeforeEach
  void start() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Role role : USERS) {
      String token = Tokens.random();
      tokens.put(role, token);
      lines.append(line(role, role.label() + "-user", "sha256:" + Tokens.hash(token)));
    }
    lines.append(line(Role.VIEWER, "by-certificate", "subject:CN=client, O=Example"));
    users = Files.writeString(folder.resolve("users"), lines);
    server = new RestServer(new RestSettings("127.0.0.1", 0, access(tls(), users)), backend);
    server.start();
  }

  @AfterEach
  void stop() {
    server().close();
  }

  @Test
  void eachRouteHasOneRoleWhichItsDescriptionNames() {
    Map<String, JsonNode> operations = OpenApiDocument.read().operations();
    server()
        .routes()
        .forEach(
            (route, roles) -> {
              JsonNode operation = Objects.requireNonNull(operations.get(route), route);
              String role = operation.path("x-role").asText();
              assertThat(roles)
                  .as(route)
                  .isEqualTo(Set.of(role.equals("anyone") ? Role.ANYONE : Role.of(role)));
              assertThat(operation.has("security")).as(route).isEqualTo(role.equals("anyone"));
            });
  }

  @Test
  void eachRouteIsOpenToItsRoleAndTheRolesAboveAlone() throws Exception {
    HttpClient client = client("ca", null);
    for (Map.Entry<String, JsonNode> each : OpenApiDocument.read().operations().entrySet()) {
      String needed = each.getValue().path("x-role").asText();
      if (needed.equals("anyone")) {
        assertThat(send(client, each.getKey(), null).statusCode()).isNotIn(401, 403);
        continue;
      }
      Answer unknown = send(client, each.getKey(), null);
      assertThat(unknown.statusCode()).as(each.getKey()).isEqualTo(401);
      assertThat(unknown.asks()).isEqualTo("Bearer");
      assertThat(send(client, each.getKey(), Tokens.random()).statusCode()).isEqualTo(401);
      for (Role role : USERS) {
        Answer answer = send(client, each.getKey(), tokens.get(role));
        if (role.covers(Role.of(needed))) {
          assertThat(answer.statusCode()).as("%s %s", each.getKey(), role).isNotIn(401, 403);
        } else {
          assertThat(answer.statusCode()).as("%s %s", each.getKey(), role).isEqualTo(403);
          assertThat(JSON.readTree(answer.body()).path("detail").asText())
              .contains("needs the role " + needed)
              .contains(role.label() + "-user");
        }
      }
    }
  }

  @Test
  void aUserReadsItsNameAndRole() throws Exception {
    Answer answer = send(client("ca", null), "GET /api/v1/me", tokens.get(Role.EDITOR));
    assertThat(answer.body()).isEqualTo("{\"name\":\"editor-user\",\"role\":\"editor\"}");
    RestServer open = new RestServer(RestSettings.DEFAULT, backend);
    open.start();
    try {
      HttpRequest request = HttpRequest.newBuilder(URI.create(open.url() + "/api/v1/me")).build();
      assertThat(
              HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body())
          .isEqualTo("{\"name\":null,\"role\":\"admin\"}");
    } finally {
      open.close();
    }
  }

  @Test
  void aProbeByHeadNeedsNoUser() throws Exception {
    HttpClient client = client("ca", null);
    assertThat(send(client, "HEAD /readyz", null).statusCode()).isEqualTo(200);
    assertThat(send(client, "HEAD /api/v1/status", null).statusCode()).isEqualTo(401);
  }

  @Test
  void theFilesOfTheConsoleNeedNoUser() throws Exception {
    HttpClient client = client("ca", null);
    for (String path : List.of("/", "/console/app.js", "/console/style.css", "/docs/README.md")) {
      Answer answer = send(client, "GET " + path, null);
      assertThat(answer.statusCode()).as("%s %s", path, answer.body()).isEqualTo(200);
    }
    assertThat(send(client, "GET /console/absent.js", null).statusCode()).isEqualTo(404);
    for (String path :
        List.of("/console/../api/v1/status", "/console/%2e%2e/api/v1/status", "//api/v1/status")) {
      assertThat(send(client, "GET " + path, null).statusCode()).as(path).isIn(400, 401, 403, 404);
    }
  }

  @Test
  void aCertificateIsAUserToo() throws Exception {
    HttpClient client = client("ca", "client");
    assertThat(send(client, "GET /api/v1/status", null).statusCode()).isEqualTo(200);
    assertThat(send(client, "PUT /api/v1/predicates", null).statusCode()).isEqualTo(403);
    assertThat(send(client("ca", null), "GET /api/v1/status", null).statusCode()).isEqualTo(401);
    assertThat(send(client("ca", "renewed"), "GET /api/v1/status", null).statusCode())
        .as("a certificate of the authority that is no user's")
        .isEqualTo(401);
    assertThat(send(client("ca", "stranger"), "GET /api/v1/status", null).statusCode())
        .as("a client does not send a certificate that the server does not ask for")
        .isEqualTo(401);
  }

  @Test
  void aClientOfAnotherAuthorityDoesNotConnect() {
    assertThatThrownBy(() -> send(client("other-ca", null), "GET /livez", null))
        .isInstanceOf(SSLHandshakeException.class);
  }

  /** Its provider does not answer. */
  @Test
  void aRefusedTokenOfAProviderNamesTheReason() throws Exception {
    stop();
    OidcSettings oidc =
        new OidcSettings("https://localhost:1", "palinode", "roles", "sub", file("ca.pem"));
    server =
        new RestServer(
            new RestSettings("0.0.0.0", 0, new AccessSettings(tls(), null, oidc, false)), backend);
    server().start();
    String url = server().url().replace("0.0.0.0", "127.0.0.1");
    HttpResponse<String> answer =
        client("ca", null)
            .send(
                HttpRequest.newBuilder(URI.create(url + "/api/v1/status"))
                    .header("Authorization", "Bearer e30.e30.e30")
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(JSON.readTree(answer.body()).path("detail").asText())
        .startsWith("the token is refused: ");
    HttpResponse<String> without =
        client("ca", null)
            .send(
                HttpRequest.newBuilder(URI.create(url + "/api/v1/status")).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(without.statusCode()).isEqualTo(401);
  }

  /** None is ever idle, and none has named its user. */
  @Test
  void aSlowHandshakeASlowHeadAndARefusedBodyAreEnded() throws Exception {
    int port = URI.create(server().url()).getPort();
    SSLContext tls = ClientTls.context(new ClientFiles(file("ca.pem"), null, null));
    byte[] hello = {22, 3, 1, 2, 0};
    try (Socket handshake = new Socket(InetAddress.getLoopbackAddress(), port);
        Socket head = tls.getSocketFactory().createSocket("127.0.0.1", port);
        Socket second = tls.getSocketFactory().createSocket("127.0.0.1", port);
        Socket refused = tls.getSocketFactory().createSocket("127.0.0.1", port)) {
      String put = "PUT /api/v1/predicates HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
      refused.getOutputStream().write(put.getBytes(StandardCharsets.UTF_8));
      head.getOutputStream().write("GET /livez".getBytes(StandardCharsets.UTF_8));
      String probe = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
      second.getOutputStream().write((probe + "GET /").getBytes(StandardCharsets.UTF_8));
      int[] sent = {0};
      await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                int next = sent[0]++;
                boolean first = isEnded(handshake, next < hello.length ? hello[next] : 0);
                boolean other = isEnded(head, 'x');
                boolean third = isEnded(second, 'x');
                boolean fourth = isEnded(refused, 'x');
                return first && other && third && fourth;
              });
    }
  }

  private static boolean isEnded(Socket socket, int next) {
    try {
      socket.getOutputStream().write(next);
      return false;
    } catch (IOException ended) {
      return true;
    }
  }

  @Test
  void eachChangeAndEachRefusedUserIsAudited() throws Exception {
    HttpClient client = client("ca", null);
    send(client, "GET /api/v1/status", tokens.get(Role.VIEWER));
    send(client, "POST /api/v1/coverage/acknowledge?to=1", tokens.get(Role.OPERATOR));
    send(client, "POST /api/v1/rollbacks/1/cancel", tokens.get(Role.OPERATOR));
    send(client, "POST /api/v1/budgets/p/renew", tokens.get(Role.OPERATOR));
    send(client, "GET /api/v1/status", Tokens.random());
    await().until(() -> backend.audited.size() == 4);
    assertThat(backend.audited)
        .map(line -> JSON.readTree(line))
        .extracting(
            line -> line.path("user").asText("-"),
            line -> line.path("from").asText(),
            line -> line.path("request").asText(),
            line -> line.path("status").asInt())
        .containsExactly(
            tuple("operator-user", "127.0.0.1", "POST /api/v1/coverage/acknowledge?to=1", 200),
            tuple("operator-user", "127.0.0.1", "POST /api/v1/rollbacks/1/cancel", 409),
            tuple("operator-user", "127.0.0.1", "POST /api/v1/budgets/p/renew", 403),
            tuple("-", "127.0.0.1", "GET /api/v1/status", 401));
  }

  @Test
  void aStrangerCannotFillTheAuditLog() throws Exception {
    HttpClient client = client("ca", null);
    for (int i = 0; i < 150; i++) {
      send(client, "GET /api/v1/status", Tokens.random());
      send(client, "POST /no/route", Tokens.random());
      send(client, "PUT /healthz", Tokens.random());
    }
    send(client, "POST /api/v1/coverage/acknowledge", tokens.get(Role.OPERATOR));
    await().until(() -> backend.audited.stream().anyMatch(line -> line.contains("acknowledge")));
    assertThat(backend.audited).as("refused ones, and the change").hasSize(101);
  }

  @Test
  void aBodyThatStopsIsATimeout() throws Exception {
    URI url = URI.create(server().url());
    SSLContext tls = ClientTls.context(new ClientFiles(file("ca.pem"), null, null));
    try (Socket socket = tls.getSocketFactory().createSocket("127.0.0.1", url.getPort())) {
      String head =
          "POST /api/v1/rollbacks HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nAuthorization: Bearer %s\r\n\r\n{";
      socket
          .getOutputStream()
          .write(head.formatted(tokens.get(Role.ADMIN)).getBytes(StandardCharsets.UTF_8));
      byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 408".length());
      assertThat(new String(status, StandardCharsets.UTF_8)).isEqualTo("HTTP/1.1 408");
    }
  }

  @Test
  void aUserThatLeavesTheFileIsRefused() throws Exception {
    HttpClient client = client("ca", null);
    String viewer = tokens.get(Role.VIEWER);
    assertThat(send(client, "GET /api/v1/status", viewer).statusCode()).isEqualTo(200);
    Files.writeString(users, "viewer broken line\n");
    await()
        .during(Duration.ofSeconds(2))
        .until(() -> send(client, "GET /api/v1/status", viewer).statusCode() == 200);
    Files.writeString(users, line(Role.ADMIN, "x", "sha256:" + Tokens.hash("other")));
    await().until(() -> send(client, "GET /api/v1/status", viewer).statusCode() == 401);
  }

  /** The answer arrives, although the client still sends. */
  @Test
  void aBodyOfNoUserIsNotRead() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server().url() + "/api/v1/predicates"))
            .PUT(HttpRequest.BodyPublishers.ofString("x".repeat(1 << 20)))
            .header("Content-Type", "text/plain")
            .build();
    for (int i = 0; i < 20; i++) {
      int status =
          client("ca", null).send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      assertThat(status).as("not 415").isEqualTo(401);
    }
  }

  @Test
  void aServerBeyondThisMachineNeedsTlsAndUsers() {
    ServerFiles tls = new ServerFiles(file("server.pem"), file("server.key"), null);
    assertThatThrownBy(() -> new RestSettings("0.0.0.0", 0, AccessSettings.NONE))
        .hasMessage(
            "a server on 0.0.0.0 is reached from other machines and needs TLS (--tls-certificate,"
                + " --tls-key) and users (--users): name them, listen on 127.0.0.1, or allow it"
                + " with --insecure");
    assertThatThrownBy(() -> new RestSettings("0.0.0.0", 0, access(tls, null)))
        .hasMessageContaining("needs users (--users):");
    assertThatThrownBy(() -> new RestSettings("::", 0, access(null, users)))
        .hasMessageContaining("needs TLS");
    assertThat(new RestSettings("0.0.0.0", 0, access(tls, users)).host()).isEqualTo("0.0.0.0");
    assertThat(new RestSettings("::1", 0, AccessSettings.NONE).host()).isEqualTo("::1");
    assertThat(new RestSettings("0.0.0.0", 0, new AccessSettings(null, null, null, true)).port())
        .isZero();
  }

  /** {@code asks} is the header {@code WWW-Authenticate}. */
  private record Answer(int statusCode, String body, String asks) {}

  @Test
  void aViewerSeesNoPathOfAWebhook() throws Exception {
    backend.put(new AppliedPredicate("p", 1, "alert: [webhook:https://h.example/secret]", null));
    backend.witnessText =
        """
        {apiVersion: palinode.io/v1, kind: Predicate, metadata: {name: p}, spec: {violation:
        [{all: [{var: x, equals: "1"}]}], onViolation: {alert: ['webhook:https://h.example/secret']}}}
        """;
    HttpClient client = client("ca", null);
    for (String path :
        List.of(
            "GET /api/v1/predicates",
            "GET /api/v1/predicates/p",
            "GET /api/v1/violations/v1/witness")) {
      assertThat(send(client, path, tokens.get(Role.VIEWER)).body())
          .contains("https://h.example/hidden")
          .doesNotContain("secret");
      assertThat(send(client, path, tokens.get(Role.EDITOR)).body()).contains("/secret");
    }
  }

  @Test
  void theStatusNamesWhatIsOpen() throws Exception {
    try (RestServer open =
        new RestServer(
            new RestSettings("0.0.0.0", 0, new AccessSettings(null, null, null, true)), backend)) {
      open.start();
      backend.open = List.of("node 1: the stores on 0.0.0.0 have no TLS and no users");
      int port = URI.create(open.url()).getPort();
      String status =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/status"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(JSON.readTree(status).path("insecure").asText())
          .startsWith("the API on 0.0.0.0 has no TLS")
          .contains("and no users")
          .endsWith("; node 1: the stores on 0.0.0.0 have no TLS and no users");
    }
    backend.open = List.of();
    JsonNode closed =
        JSON.readTree(
            send(client("ca", null), "GET /api/v1/status", tokens.get(Role.VIEWER)).body());
    assertThat(closed.path("insecure").isNull()).isTrue();
  }

  private static ServerFiles tls() {
    return new ServerFiles(file("server.pem"), file("server.key"), file("ca.pem"));
  }

  private RestServer server() {
    return Objects.requireNonNull(server);
  }

  private Answer send(HttpClient client, String route, @Nullable String token)
      throws IOException, InterruptedException {
    String[] words = route.split(" ", 2);
    String path = words[1].replaceAll("\\{\\w+}", "1");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server().url() + path))
            .method(words[0], HttpRequest.BodyPublishers.noBody());
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    // A stream of events has no end.
    HttpResponse<InputStream> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      boolean isStream = path.endsWith("/events") && answer.statusCode() == 200;
      String text = isStream ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
      return new Answer(
          answer.statusCode(), text, answer.headers().firstValue("WWW-Authenticate").orElse(""));
    }
  }

  private static HttpClient client(String authority, @Nullable String name) {
    ClientFiles files =
        name == null
            ? new ClientFiles(file(authority + ".pem"), null, null)
            : new ClientFiles(file(authority + ".pem"), file(name + ".pem"), file(name + ".key"));
    return HttpClient.newBuilder().sslContext(ClientTls.context(files)).build();
  }

  private static AccessSettings access(@Nullable ServerFiles tls, @Nullable Path users) {
    return new AccessSettings(tls, users, null, false);
  }

  private static String line(Role role, String name, String credential) {
    return "%s %s %s\n".formatted(role.label(), name, credential);
  }

  private static Path file(String name) {
    return CERTIFICATES.resolve(name);
  }
}

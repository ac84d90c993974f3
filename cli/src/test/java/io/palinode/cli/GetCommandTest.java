package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class GetCommandTest {
  private static final String ROLLBACK =
      "{\"epoch\":1,\"state\":\"resumed\",\"predicate\":\"p\",\"target\":\"7\",\"attempts\":1}";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<String> asked = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void aCutListEndsWithTheNumberOfThoseThatAreNotListed() {
    answer("/api/v1/rollbacks", "[" + ROLLBACK + "]", "183");
    assertThat(get("rollbacks", "--limit", "1", "-o", "json")).isZero();
    assertThat(asked).containsExactly("limit=1");
    assertThat(err.toString().strip())
        .isEqualTo("1 of 183 rollbacks are listed, the latest; --limit 183 lists all");
  }

  @Test
  void aWholeListEndsWithoutANote() {
    answer("/api/v1/rollbacks", "[" + ROLLBACK + "]", "1");
    assertThat(get("rollbacks", "--since", "-5m", "--predicate", "a b", "-o", "json")).isZero();
    assertThat(asked).containsExactly("since=-5m&predicate=a%20b");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anOptionThatDoesNotFitTheListIsSentForTheApiToRefuse() {
    answer("/api/v1/nodes", "[]", "");
    assertThat(get("nodes", "--limit", "5")).isZero();
    assertThat(asked).containsExactly("limit=5");
  }

  @Test
  void aPredicateInForceIsPrintedAsItWasApplied() {
    String view =
        "{\"name\":\"p\",\"version\":3,\"converged\":true,\"nodeVersions\":{},"
            + "\"jobVersion\":3,\"yaml\":\"kind: Predicate\\n\"}";
    answer("/api/v1/predicates/p", view, "");
    assertThat(get("predicates", "p")).isZero();
    assertThat(out.toString()).isEqualTo("kind: Predicate\n");
  }

  @Test
  void nodesWithOneReasonShareOneLineBelowTheTable() {
    answer("/api/v1/nodes", "[{\"node\":0},{\"node\":1},{\"node\":2}]", "");
    assertThat(get("nodes", "--bootstrap", "127.0.0.1:1")).isZero();
    assertThat(out.toString().lines().filter(line -> line.startsWith("nodes 0, 1, 2: ")))
        .hasSize(1);
    assertThat(out.toString().lines()).hasSize(5);
  }

  private void answer(String path, String body, String total) {
    server.createContext(
        path,
        exchange -> {
          String query = exchange.getRequestURI().getRawQuery();
          if (query != null) {
            asked.add(query);
          }
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          if (!total.isEmpty()) {
            exchange.getResponseHeaders().add("X-Total-Count", total);
          }
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  private int get(String... args) {
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    List<String> all = new ArrayList<>(List.of("get"));
    all.addAll(List.of(args));
    all.addAll(List.of("--server", "http://127.0.0.1:" + server.getAddress().getPort()));
    return command.execute(all.toArray(String[]::new));
  }
}

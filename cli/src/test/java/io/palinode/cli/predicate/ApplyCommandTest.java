package io.palinode.cli.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.palinode.cli.Main;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A file of predicates at a server that applies a request whole or refuses it. */
class ApplyCommandTest {
  private static final String PREDICATE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: %s}
      spec:
        violation:
          - all: [{var: x, equals: "1"}]
      """;
  private static final String XML =
      "<predicate><type>conjunctive</type><conjClause><id>0</id>"
          + "<var><name>x</name><value>1</value></var></conjClause></predicate>";

  @TempDir Path folder;
  private final List<String> applied = new ArrayList<>();
  private final Map<String, String> inForce = new HashMap<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private HttpServer server;
  private int failure;
  private String warnings = "[]";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/api/v1/predicates", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void eachPredicateOfAFileIsReported() throws IOException {
    assertThat(apply("p.yaml", yaml("a", "b"))).isZero();
    assertThat(applied).containsExactly("a", "b");
    assertThat(out.toString().lines())
        .containsExactly("predicate a version 7 applied", "predicate b version 7 applied");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aPredicateInForceIsUnchanged() throws IOException {
    assertThat(apply("p.yaml", yaml("a"))).isZero();
    assertThat(apply("p.yaml", yaml("a", "b"))).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "predicate a version 7 applied",
            "predicate a version 7 unchanged",
            "predicate b version 7 applied");
  }

  @Test
  void aFileOfThreeOfWhichTheThirdIsRefusedAppliesNone() throws IOException {
    assertThat(apply("p.yaml", yaml("a", "b", "bad"))).isEqualTo(2);
    assertThat(applied).isEmpty();
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().strip()).isEqualTo("palinode: predicate 'bad': refused");
  }

  @Test
  void aPartlyWrittenFileIsAFailureInOneSentence() throws IOException {
    failure = 503;
    assertThat(apply("p.yaml", yaml("a", "bad"))).isEqualTo(1);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().strip()).isEqualTo("palinode: predicate 'bad': refused");
  }

  @Test
  void anXmlPredicateIsNamedAfterItsFile() throws IOException {
    assertThat(apply("fig3.xml", XML)).isZero();
    assertThat(applied).containsExactly("fig3");
  }

  @Test
  void aFileTooLargeForOneRequestIsRefusedBeforeItIsSent() throws IOException {
    // The canonical form has a clause for each term of "any".
    String terms =
        IntStream.range(0, 49_500)
            .mapToObj("{var: k%d,equals: a}"::formatted)
            .collect(Collectors.joining(",\n        "));
    String large = PREDICATE.replace("all: [{var: x, equals: \"1\"}]", "any: [" + terms + "]");
    assertThat(apply("p.yaml", large.formatted("a") + "---\n" + large.formatted("b"))).isEqualTo(2);
    assertThat(applied).isEmpty();
    assertThat(err.toString()).contains("p.yaml: the full form", "split the files");
  }

  @Test
  void aDryRunChangesNothing() throws IOException {
    applied.add("a");
    String changed = PREDICATE.formatted("b") + "---\n" + PREDICATE.formatted("a");
    assertThat(run("apply", "-f", file("p.yaml", changed), "--dry-run")).isZero();
    assertThat(applied).containsExactly("a");
    assertThat(out.toString().lines())
        .containsExactly(
            "predicate b version 1 would be applied", "predicate a version 7 unchanged");
  }

  @Test
  void theServersWarningIsShownAndThePredicateIsApplied() throws IOException {
    warnings = "[\"no node has the store 'cart'\"]";
    assertThat(apply("p.yaml", yaml("a"))).isZero();
    assertThat(run("apply", "-f", file("p.yaml", yaml("b")), "--dry-run")).isZero();
    assertThat(applied).containsExactly("a");
    assertThat(out.toString().lines())
        .containsExactly("predicate a version 7 applied", "predicate b version 1 would be applied");
    assertThat(err.toString().lines())
        .containsExactly(
            "palinode: warning: predicate 'a': no node has the store 'cart'",
            "palinode: warning: predicate 'b': no node has the store 'cart'");
  }

  @Test
  void aFolderIsOneRequest() throws IOException {
    String first = file("1.yaml", yaml("a"));
    file("2.yml", yaml("b"));
    file("3.xml", XML);
    file("notes.txt", "no predicate");
    assertThat(run("apply", "-f", folder.toString())).isZero();
    assertThat(applied).containsExactly("a", "b", "3");
    String again = file("4.yaml", yaml("a"));
    assertThat(run("apply", "-f", folder.toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains("predicate 'a' is in two files: %s and %s".formatted(first, again));
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThat(run("apply", "-f", empty.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("there is no *.yaml, *.yml or *.xml in " + empty);
  }

  @Test
  void aDiffShowsWhatAFileWouldChange() throws IOException {
    inForce.put("a", Predicates.toYaml(Predicates.parse(PREDICATE.formatted("a"), "a")));
    applied.add("a");
    assertThat(run("diff", "-f", file("same.yaml", yaml("a")))).isZero();
    assertThat(out.toString()).isEmpty();
    String changed = yaml("a").replace("\"1\"", "\"2\"") + "---\n" + yaml("new");
    assertThat(run("diff", "-f", file("p.yaml", changed))).isEqualTo(1);
    assertThat(out.toString().lines())
        .contains("--- a version 7", "+++ a version 8", "--- /dev/null", "+++ new version 1")
        .anyMatch(line -> line.startsWith("-") && line.contains("1"))
        .anyMatch(line -> line.startsWith("+") && line.contains("2"));
    assertThat(applied).containsExactly("a");
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("GET")) {
      respond(exchange, 200, "[" + views(applied) + "]");
      return;
    }
    String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    List<String> names =
        Predicates.parseAll(text, "request").stream().map(Predicate::name).toList();
    boolean one = exchange.getRequestURI().getPath().startsWith("/api/v1/predicates/");
    if (names.contains("bad")) {
      respond(exchange, failure == 0 ? 400 : failure, "{\"detail\":\"predicate 'bad': refused\"}");
      return;
    }
    if (exchange.getRequestMethod().equals("POST")) {
      String checked = names.stream().map(this::checked).collect(Collectors.joining(","));
      respond(exchange, 200, "{\"predicates\":[" + checked + "],\"findings\":[]}");
      return;
    }
    applied.addAll(names);
    respond(exchange, 200, one ? views(names) : "[" + views(names) + "]");
  }

  private String views(List<String> names) {
    return names.stream().map(this::view).collect(Collectors.joining(","));
  }

  private String view(String name) {
    return "{\"name\":\"%s\",\"version\":7,\"converged\":false,\"nodeVersions\":{},\"jobVersion\":null,\"yaml\":%s,\"warnings\":%s}"
        .formatted(name, TextNode.valueOf(inForce.getOrDefault(name, "")), warnings);
  }

  private String checked(String name) {
    boolean known = applied.contains(name);
    return "{\"name\":\"%s\",\"version\":%s,\"unchanged\":%s,\"topics\":[],\"warnings\":%s}"
        .formatted(name, known ? "7" : "null", known, warnings);
  }

  private static void respond(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static String yaml(String... names) {
    return List.of(names).stream().map(PREDICATE::formatted).collect(Collectors.joining("---\n"));
  }

  private int apply(String name, String text) throws IOException {
    return run("apply", "-f", file(name, text));
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private int run(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--server", "http://127.0.0.1:" + server.getAddress().getPort()));
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return command.execute(all.toArray(String[]::new));
  }
}

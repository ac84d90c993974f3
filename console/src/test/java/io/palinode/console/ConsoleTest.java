package io.palinode.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The files as a browser gets them. */
class ConsoleTest {
  private static final Path SCRIPTS =
      Path.of("src/main/resources/io/palinode/console/page/console");
  private static final Pattern NAMED = Pattern.compile("(?:src|href)=\"(/[^\"]+)\"");
  private static final Pattern IMPORTED = Pattern.compile("from '\\./(\\w+\\.js)'");
  private static final Path DOCS = Path.of("../docs");
  private static final Pattern LINKED = Pattern.compile("href=\"(/docs/[^\"]+)\"");
  private static final int LINES_MAX = 300;
  private static final int LINE_MAX = 100;

  private Javalin server = Javalin.create(Console::addTo);

  @BeforeEach
  void start() {
    server.start("127.0.0.1", 0);
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  @Test
  void thePageForbidsInlineCodeAndOtherSites() throws Exception {
    HttpResponse<String> page = get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html");
    assertThat(page.headers().firstValue("Content-Security-Policy"))
        .hasValueSatisfying(
            policy ->
                assertThat(policy)
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe", "http"));
    assertThat(page.body())
        .doesNotContain("style=", "<style", "onclick", "://")
        .doesNotContainPattern("<script[^>]*>[^<]");
  }

  @Test
  void everyFileThatThePageNamesIsServed() throws Exception {
    List<String> paths = found(NAMED, get("/").body());
    assertThat(paths).hasSizeGreaterThan(10);
    for (String path : paths) {
      HttpResponse<String> file = get(path);
      assertThat(file.statusCode()).as(path).isEqualTo(200);
      assertThat(file.body()).as(path).isNotEmpty();
      if (path.endsWith(".js")) {
        assertThat(file.headers().firstValue("Content-Type").orElse(""))
            .as(path)
            .startsWith("text/javascript");
      }
    }
  }

  @Test
  void everyModuleThatAScriptImportsIsServed() throws Exception {
    for (Path script : scripts()) {
      for (String module : found(IMPORTED, Files.readString(script))) {
        assertThat(get("/console/" + module).statusCode())
            .as("%s imports %s", script, module)
            .isEqualTo(200);
      }
    }
  }

  @Test
  void aPathWithoutAFileIsNotThePage() throws Exception {
    for (String path : List.of("/console/absent.js", "/absent", "/webjars/absent", "/console/")) {
      assertThat(get(path).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void eachScriptIsShortAndReachesNoMarkup() throws Exception {
    for (Path script : scripts()) {
      List<String> lines = Files.readAllLines(script);
      assertThat(lines).as(script.toString()).hasSizeLessThanOrEqualTo(LINES_MAX);
      assertThat(lines)
          .as(script.toString())
          .allMatch(line -> line.length() <= LINE_MAX)
          .noneMatch(
              line -> line.matches(".*(innerHTML =|insertAdjacentHTML|eval\\(|\\.html\\().*"));
    }
  }

  @Test
  void eachPageOfTheDocsIsServedAndItsLinksResolve() throws Exception {
    Map<String, String> pages = new TreeMap<>();
    for (Path page : markdown()) {
      String path = "/docs/" + DOCS.relativize(page);
      HttpResponse<String> answer = get(path);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Security-Policy")).as(path).isPresent();
      pages.put(path, answer.body());
    }
    pages.forEach(
        (path, html) ->
            assertThat(found(LINKED, html)).as(path).allMatch(link -> resolves(link, pages)));
    assertThat(found(LINKED, pages.get("/docs/README.md"))).hasSizeGreaterThan(40);
  }

  private static boolean resolves(String link, Map<String, String> pages) {
    String[] parts = link.split("#", 2);
    String html = pages.getOrDefault(parts[0], "");
    return parts.length == 1 ? !html.isEmpty() : html.contains(" id=\"" + parts[1] + "\"");
  }

  @Test
  void aPageOfTheDocsIsTextAndItsCodeHasNoHeadings() throws Exception {
    String rest = get("/docs/reference/rest.md").body();
    assertThat(rest)
        .contains("<h2 id=\"users\">Users</h2>", "\n# the hash of a token", "&quot;", "</main>")
        .doesNotContain("<script", "style=", "<h1 id=\"the-hash");
    String cli = get("/docs/reference/cli.md").body();
    assertThat(cli).contains("&lt;").doesNotContainPattern("<(?!/?(a|h\\d|pre)\\b)[A-Z]");
  }

  @Test
  void otherFilesAreNoPagesOfTheDocs() throws Exception {
    for (String path :
        List.of(
            "/docs/absent.md",
            "/docs/",
            "/docs/images/console-past.png",
            "/docs/..%2Fpage%2Findex.html",
            "/docs/how-to/..%2FREADME.md")) {
      assertThat(get(path).statusCode()).as(path).isGreaterThanOrEqualTo(400);
    }
  }

  private static List<Path> markdown() throws IOException {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  private static List<Path> scripts() throws IOException {
    try (Stream<Path> files = Files.list(SCRIPTS)) {
      return files.filter(file -> file.toString().endsWith(".js")).sorted().toList();
    }
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
  }

  private HttpResponse<String> get(String path) throws InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

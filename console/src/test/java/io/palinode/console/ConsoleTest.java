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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The files as a browser gets them. */
class ConsoleTest {
  private static final Path SCRIPTS =
      Path.of("src/main/resources/io/palinode/console/page/console");
  private static final Pattern NAMED = Pattern.compile("(?:src|href)=\"([^\"#]+)\"");
  private static final Pattern IMPORTED = Pattern.compile("from '\\./(\\w+\\.js)'");
  private static final Path DOCS = Path.of("../docs");
  private static final Pattern LINKED = Pattern.compile("href=\"([^\"]+)\"");

  /** In Markdown: its code, its links by target or by name, and the targets of names. */
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`]*`");

  private static final Pattern LINK = Pattern.compile("]\\(([^()\\s]+)\\)|]\\[([\\w-]+)]");
  private static final Pattern TARGET = Pattern.compile("(?m)^\\[([\\w-]+)]: (\\S+)$");

  private static final Pattern OTHER_TAG =
      Pattern.compile(
          "<(?!/?(?:a|blockquote|code|em|h[1-6]|hr|li|ol|p|pre|strong|ul"
              + "|table|tbody|td|th|thead|tr)\\b)[^\\s]");

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
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
      HttpResponse<String> file = get("/" + path);
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
  void eachPageOfTheDocsIsServedAndAllItsLinksResolve() throws Exception {
    Map<String, String> pages = new TreeMap<>();
    for (Path page : markdown()) {
      String path = "/docs/" + DOCS.relativize(page);
      HttpResponse<String> answer = get(path);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Security-Policy")).as(path).isPresent();
      pages.put(path, answer.body());
      String main = main(answer.body());
      // A link to a page that is missing is text.
      assertThat(found(LINKED, main)).as(path).hasSize(links(page));
      assertThat(main).as(path).doesNotContain("&lt;!--").doesNotContainPattern(OTHER_TAG);
    }
    pages.forEach(
        (path, html) ->
            assertThat(found(LINKED, main(html)))
                .as(path)
                .allMatch(link -> resolves(URI.create(path).resolve(link), pages)));
    assertThat(found(LINKED, main(pages.get("/docs/README.md")))).hasSizeGreaterThan(40);
  }

  private static boolean resolves(URI link, Map<String, String> pages) {
    String html = pages.getOrDefault(link.getPath(), "");
    return link.getFragment() == null
        ? !html.isEmpty()
        : html.contains(" id=\"" + link.getFragment() + "\"");
  }

  /** How many links to pages of the docs a page has, also to absent ones. */
  private static int links(Path page) throws IOException {
    String text = CODE.matcher(Files.readString(page)).replaceAll("code");
    Map<String, String> targets =
        TARGET
            .matcher(text)
            .results()
            .collect(Collectors.toMap(named -> named.group(1), named -> named.group(2)));
    return (int)
        LINK.matcher(text)
            .results()
            .map(link -> link.group(1) == null ? targets.get(link.group(2)) : link.group(1))
            .filter(target -> target != null && isOfDocs(page, target))
            .count();
  }

  private static boolean isOfDocs(Path page, String target) {
    String file = target.replaceFirst("#.*", "");
    return file.isEmpty()
        || file.endsWith(".md") && page.resolveSibling(file).normalize().startsWith(DOCS);
  }

  @Test
  void aPageOfTheDocsIsReadAsItsMarkdownIsMeant() throws Exception {
    String rest = get("/docs/reference/rest.md").body();
    assertThat(rest)
        .contains("<h2 id=\"users\">Users</h2>", "># the hash of a token", "&quot;", "</main>")
        .contains("<table>", "<td>GET <code>/status</code></td>", "<li>", "<pre><code")
        .doesNotContain("<script", "style=", "<h1 id=\"the-hash", "| --- |");
    assertThat(get("/docs/how-to/use-the-console.md").body())
        .contains("A violation: two intervals overlap on two nodes")
        .doesNotContain("<img", ".png");
    assertThat(get("/docs/reference/cli.md").body()).contains("&lt;");
    assertThat(get("/docs/README.md").body()).contains("Contributing (../CONTRIBUTING.md)");
  }

  @Test
  void headOfAPageOfTheDocsIsThatOfGet() throws Exception {
    HttpResponse<String> head = send("HEAD", "/docs/README.md");
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValue("Content-Security-Policy")).isPresent();
    assertThat(head.body()).isEmpty();
    assertThat(send("HEAD", "/docs/absent.md").statusCode()).isEqualTo(404);
    assertThat(send("POST", "/docs/README.md").statusCode()).isEqualTo(404);
  }

  @Test
  void linksWorkBehindAProxyThatAddsAPath() throws Exception {
    for (String page : List.of("/", "/docs/README.md", "/docs/reference/rest.md")) {
      List<String> links = found(NAMED, get(page).body());
      assertThat(links).as(page).hasSizeGreaterThan(4);
      for (String link : links) {
        String path = URI.create("/prefix" + page).resolve(link).getPath();
        assertThat(path).as(page).startsWith("/prefix/");
        assertThat(get(path.substring("/prefix".length())).statusCode()).as(link).isEqualTo(200);
      }
    }
    assertThat(SCRIPTS.resolve("api.js")).content().contains("fetch(`.${path}`");
  }

  private static String main(String html) {
    String start = "<main class=\"docs\">";
    return html.substring(html.indexOf(start) + start.length(), html.indexOf("</main>"));
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
    return send("GET", path);
  }

  private HttpResponse<String> send(String method, String path) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    try {
      return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

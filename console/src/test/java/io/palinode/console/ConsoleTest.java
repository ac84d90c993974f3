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

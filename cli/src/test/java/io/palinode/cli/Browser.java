package io.palinode.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.launcher.embedded.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A headless Chromium, driven over W3C WebDriver by the program {@code chromedriver}. Its profile
 * and its home are in a folder of the test.
 */
final class Browser implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration START_MAX = Duration.ofSeconds(30);
  private static final Duration FIND_MAX = Duration.ofSeconds(30);

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process driver;
  private final String session;

  /** Throws if {@link #isInstalled} is false. */
  Browser(Path folder) {
    int port = Ports.free(1).get(0);
    ProcessBuilder start =
        new ProcessBuilder(program("chromedriver").orElseThrow().toString(), "--port=" + port)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("chromedriver.log").toFile());
    start.environment().put("HOME", folder.toString());
    try {
      driver = start.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String root = "http://127.0.0.1:" + port;
    await("chromedriver answers")
        .atMost(START_MAX)
        .ignoreExceptions()
        .until(() -> send("GET", root + "/status", null).path("ready").asBoolean());
    session =
        root
            + "/session/"
            + send("POST", root + "/session", capabilities(folder)).path("sessionId").asText();
  }

  /** Whether both programs of Debian's packages chromium and chromium-driver are there. */
  static boolean isInstalled() {
    return program("chromium").isPresent() && program("chromedriver").isPresent();
  }

  private static Optional<Path> program(String name) {
    return Arrays.stream(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Map<String, Object> capabilities(Path folder) {
    List<String> arguments =
        List.of(
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1280,900",
            "--user-data-dir=" + folder.resolve("profile"));
    Map<String, Object> chrome =
        Map.of("binary", program("chromium").orElseThrow().toString(), "args", arguments);
    return Map.of(
        "capabilities",
        Map.of("alwaysMatch", Map.of("browserName", "chrome", "goog:chromeOptions", chrome)));
  }

  void open(String url) {
    send("POST", session + "/url", Map.of("url", url));
  }

  /** Runs the body of an asynchronous function in the page; its result. */
  JsonNode run(String body, Object... arguments) {
    String script =
        "const done = arguments[arguments.length - 1]; const args = arguments;"
            + "(async () => {"
            + body
            + "})().then(done, (error) => done('failed: ' + error));";
    return send(
        "POST", session + "/execute/async", Map.of("script", script, "args", List.of(arguments)));
  }

  /** Waits until the page has a visible text. */
  void awaitText(String text) {
    await("the page shows: " + text)
        .atMost(FIND_MAX)
        .untilAsserted(() -> assertThat(text()).contains(text));
  }

  /** Writes the page to {@code cli/target/pictures/}, to look at. */
  void picture(String name) {
    Path file = Path.of("target", "pictures", name + ".png");
    String encoded = send("GET", session + "/screenshot", null).asText();
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, Base64.getDecoder().decode(encoded));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As for a user who prefers {@code light} or {@code dark}. */
  void prefer(String colours) {
    Map<String, String> feature = Map.of("name", "prefers-color-scheme", "value", colours);
    var unused =
        send(
            "POST",
            session + "/goog/cdp/execute",
            Map.of(
                "cmd",
                "Emulation.setEmulatedMedia",
                "params",
                Map.of("features", List.of(feature))));
  }

  String text() {
    return run("return document.body.innerText").asText();
  }

  /** Clicks the visible button or link of this text once it is there. */
  void click(String text) {
    await("a button: " + text)
        .atMost(FIND_MAX)
        .until(
            () ->
                run(
                        "const found = [...document.querySelectorAll('button, a')].find((one) =>"
                            + " one.textContent.trim() === args[0] && one.offsetParent);"
                            + "if (!found || found.disabled) return false;"
                            + "found.click(); return true;",
                        text)
                    .asBoolean());
  }

  @Override
  public void close() {
    try {
      send("DELETE", session, null);
    } finally {
      driver.destroy();
      try {
        if (!driver.waitFor(START_MAX.toSeconds(), TimeUnit.SECONDS)) {
          driver.destroyForcibly();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private JsonNode send(String method, String url, @Nullable Object body) {
    try {
      String text = body == null ? "" : JSON.writeValueAsString(body);
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url))
              .method(method, HttpRequest.BodyPublishers.ofString(text))
              .build();
      JsonNode value =
          JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body())
              .path("value");
      if (value.has("error")) {
        throw new AssertionError(value.toString());
      }
      return value;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}

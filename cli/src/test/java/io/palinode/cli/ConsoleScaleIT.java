package io.palinode.cli;

import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.StoreClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console in a real browser: 10,000 violations, and a killed orchestrator. */
@Timeout(400)
@Tag("slow")
class ConsoleScaleIT {
  /** As many as the orchestrator remembers. */
  private static final int VIOLATIONS = 10_000;

  private static final double FIRST_PAINT_MS_MAX = 1_000;
  private static final int LOADS = 5;

  /** Of the frames while it scrolls; a busy machine delays some. */
  private static final double LONG_FRAMES_MAX = 0.05;

  private static final Duration FILL_MAX = Duration.ofMinutes(2);
  private static final Duration BACK_MAX = Duration.ofSeconds(60);

  private static final String HOT =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: hot}
      spec:
        forEach: {key: "{k}"}
        violation:
          - all: [{var: "hot_{k}", equals: "1"}]
      """;

  private static final String SCROLL =
      """
      const rows = document.querySelector('.windowed .rows');
      const frame = () => new Promise(requestAnimationFrame);
      const frames = [];
      let most = 0;
      let last = await frame();
      let still = 0;
      while (still < 120) {
        const before = rows.scrollTop;
        rows.scrollTop += 720;
        const now = await frame();
        frames.push(now - last);
        last = now;
        most = Math.max(most, rows.querySelectorAll('.row').length);
        still = rows.scrollTop === before ? still + 1 : 0;
      }
      frames.sort((a, b) => a - b);
      return {frames: frames.length, most, median: frames[frames.length >> 1],
        longest: frames.at(-1), long: frames.filter((ms) => ms > 50).length,
        height: rows.scrollHeight, shown: document.querySelector('.filters').innerText};
      """;

  @TempDir private Path folder;

  @Test
  void tenThousandViolationsPaintWithinASecondAndScrollSmoothly() {
    try (RealParts parts = RealParts.start(folder);
        StoreClient client = parts.client("c");
        Browser browser = new Browser(folder)) {
      parts.plane().apply(Predicates.parse(HOT, "hot.yaml"));
      for (int i = 0; i < VIOLATIONS; i++) {
        client.store(STORE).put("hot_" + i, "1");
      }
      browser.open(parts.plane().apiUrl() + "/#/violations");
      await("all are published")
          .atMost(FILL_MAX)
          .until(() -> browser.text().contains("of 10,000 read"));

      double paintedMs = Double.MAX_VALUE;
      for (int i = 0; i < LOADS; i++) {
        browser.open("about:blank");
        browser.open(parts.plane().apiUrl() + "/#/violations");
        browser.awaitText("of 10,000 read");
        paintedMs = Math.min(paintedMs, firstPaintMs(browser));
      }
      assertThat(paintedMs).isPositive().isLessThan(FIRST_PAINT_MS_MAX);

      JsonNode scrolled = browser.run(SCROLL);
      System.out.printf("first paint %.0f ms; %s%n", paintedMs, scrolled);
      assertThat(scrolled.get("shown").asText()).contains("10,000 of 10,000 read");
      assertThat(scrolled.get("most").asInt()).as(scrolled.toString()).isBetween(10, 60);
      assertThat(scrolled.get("long").asDouble() / scrolled.get("frames").asDouble())
          .as(scrolled.toString())
          .isLessThan(LONG_FRAMES_MAX);
    }
  }

  private static double firstPaintMs(Browser browser) {
    return browser
        .run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        .asDouble();
  }

  @Test
  void aKilledOrchestratorIsShownAndThePageComesBackByItself() throws Exception {
    Files.writeString(folder.resolve("stores.xml"), UpIT.STORES);
    int base = UpProcess.freeBase();
    Process up = start(base);
    try (Browser browser = new Browser(folder)) {
      browser.open("http://127.0.0.1:" + (base + UpCommand.API_OFFSET));
      browser.awaitText("3 of 3");
      up.destroyForcibly();
      assertThat(up.waitFor(30, TimeUnit.SECONDS)).isTrue();
      browser.awaitText("The orchestrator does not answer.");
      browser.awaitText("no answer");
      up = start(base);
      await("the page comes back")
          .atMost(BACK_MAX)
          .until(() -> !browser.text().contains("does not answer"));
      browser.awaitText("3 of 3");
    } finally {
      up.destroyForcibly();
    }
  }

  private Process start(int base) throws IOException {
    return UpProcess.start(folder, base, List.of("--nodes", "3"));
  }
}

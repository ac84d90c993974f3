package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.launcher.embedded.Ports;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console in a real browser, for users of a real orchestrator. With -Pnightly only. */
@Tag("slow")
class ConsoleRolesIT {
  private static final String LACKS =
      "GET /api/v1/past/value needs the role operator: 'vic' has the role viewer";

  @Test
  void eachUserHasTheControlsOfTheRoleAndTheServerRefusesTheOthers(
      @TempDir Path folder, @TempDir Path home) throws Exception {
    assumeTrue(
        Browser.isInstalled(),
        "no chromium: install Debian's packages chromium and chromium-driver");
    Path users = folder.resolve("users");
    String viewer = token(users, "vic", "viewer");
    String operator = token(users, "olga", "operator");
    String port = Integer.toString(Ports.free(1).get(0));
    String url = "http://127.0.0.1:" + port;
    EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"), Ports.free(1).get(0));
    RunningCommand orchestrator =
        new RunningCommand(
            "run",
            "orchestrator",
            "--kafka",
            kafka.bootstrapServers(),
            "--nodes",
            "1",
            "--port",
            port,
            "--users",
            users.toString());
    try (kafka;
        Browser browser = new Browser(home)) {
      await().atMost(BOUND).until(() -> orchestrator.out().contains("ready"));
      browser.open(url);
      browser.awaitText("this API has users: send a token");
      assertThat(browser.run("return document.querySelectorAll('dialog').length").asInt()).isOne();
      enter(browser, "wrong");
      browser.awaitText("the token is not one of this API's users");
      enter(browser, viewer);
      assertHasTheControlsOfAViewer(browser);

      browser.run("sessionStorage.setItem('palinode.token', args[0])", operator);
      browser.open("about:blank");
      browser.open(url);
      assertHasTheControlsOfAnOperator(browser);
    } finally {
      orchestrator.end();
    }
  }

  private static void assertHasTheControlsOfAViewer(Browser browser) {
    browser.awaitText("vic (viewer)");
    browser.click("Predicates");
    browser.awaitText("Applying needs the role editor; yours is viewer.");
    browser.click("Past");
    browser.awaitText("Reading values needs the role operator; yours is viewer.");
    browser.picture("roles");
    assertThat(buttons(browser))
        .doesNotContain("Take a snapshot now", "Look up", "History", "Compare");
    String refused =
        browser
            .run(
                "const {get} = await import('/console/api.js');"
                    + "return get('/api/v1/past/value?key=a&at=-1s').catch((e) => e.message)")
            .asText();
    assertThat(refused).isEqualTo(LACKS);
  }

  private static void assertHasTheControlsOfAnOperator(Browser browser) {
    browser.awaitText("olga (operator)");
    browser.click("Past");
    browser.awaitText("Look up");
    assertThat(buttons(browser)).contains("Take a snapshot now", "Look up", "History", "Compare");
    browser.click("Predicates");
    browser.click("Apply");
    browser.awaitText("In force: edge-mutex version 1.");
  }

  private static String buttons(Browser browser) {
    return browser
        .run("return [...document.querySelectorAll('main button')].map((b) => b.innerText)")
        .toString();
  }

  private static void enter(Browser browser, String token) {
    browser.run("document.getElementById('token').value = args[0];", token);
    browser.click("Use it");
  }

  private static String token(Path users, String name, String role) {
    StringWriter out = new StringWriter();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .execute("user", "add", name, "--role", role, "--file", users.toString());
    assertThat(exit).isZero();
    return out.toString().strip();
  }
}

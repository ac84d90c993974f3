package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.palinode.predicate.form.Predicates;
import io.palinode.voldemort.client.StoreClient;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rollback that waits for approval, in a real browser, over a real cluster. */
class ConsoleApprovalIT {
  private static final String MUTEX =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: mutex}
      spec:
        violation:
          - all:
              - {var: "cs_1", equals: "1"}
              - {var: "cs_2", equals: "1"}
        onViolation:
          rollback: {scope: all, to: before-violation}
          approval: required
      """;

  @Test
  void aPersonSeesTheFiguresOfTheRollbackBeforeApprovingIt(
      @TempDir Path folder, @TempDir Path home) {
    assumeTrue(
        Browser.isInstalled(),
        "no chromium: install Debian's packages chromium and chromium-driver");
    try (RealParts parts = RealParts.start(folder);
        StoreClient client = parts.client("c");
        Browser browser = new Browser(home)) {
      browser.open(parts.plane().apiUrl());
      browser.awaitText("3 of 3");
      parts.plane().apply(Predicates.parse(MUTEX, "mutex.yaml"));
      client.store(STORE).put("cs_1", "1");
      client.store(STORE).put("cs_2", "1");

      browser.click("Approve…");
      browser.awaitText("Writes to discard");
      String asked = browser.run("return document.querySelector('dialog').innerText").asText();
      assertThat(asked)
          .contains("Approve this rollback?", "1 violation of mutex", "Keys that change")
          .contains("Known clients\nc\n", "Expected pause", "By node, each copy counts");
      browser.picture("approval");
      browser.click("Cancel");
      assertThat(parts.plane().orchestrator().rollbacks(1)).isEmpty();

      browser.click("Approve…");
      browser.click("Approve");
      await("the rollback ends").atMost(BOUND).until(() -> !parts.ended().isEmpty());
    }
  }
}

package io.palinode.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlowAnswerTest {
  private final StringWriter err = new StringWriter();

  @Test
  void aRequestWithoutAnAnswerIsReportedOnce() {
    try (SlowAnswer slow = new SlowAnswer(new PrintWriter(err), Duration.ZERO)) {
      await()
          .until(
              () ->
                  err.toString()
                      .contains("the nodes have not answered yet; if a rollback is open"));
      assertThat(slow).isNotNull();
    }
    assertThat(err.toString()).hasLineCount(1);
  }

  @Test
  void anAnswerInTimeIsNotReported() {
    SlowAnswer slow = new SlowAnswer(new PrintWriter(err), Duration.ofDays(1));
    slow.close();
    assertThat(err.toString()).isEmpty();
  }
}

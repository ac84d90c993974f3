package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RollbackRequest;
import org.junit.jupiter.api.Test;

/** Plans that undo nothing and compare all keys. Times are microseconds. */
class CompareAllTest {
  private static final Policy P = Policies.beforeViolation("p");

  @Test
  void aComparisonUndoesNothingAndTakesAllKeysBySlices() {
    Script script = Script.of(2, P).judged(600).wish(RollbackRequest.comparing("r"));
    assertThat(script.steps()).endsWith("1: pause", "1: cancel");
    script.pausedAt(1, 0, 700).pausedAt(1, 1, 650);
    assertThat(script.judged(700).steps()).containsExactly("1: keep all 1 to 700");
    script.restored(1, 0, 1).restored(1, 1, 1);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 950);
    assertThat(script.steps()).containsExactly("1: converge 1", "1: resume from 700 after 950");
    assertThat(script.refusal(RollbackRequest.undoing("u", 1))).contains("it discarded no write");
  }

  @Test
  void itStaysAComparisonUnderASuccessor() {
    Script script = Script.of(1, P).wish(RollbackRequest.comparing("r")).restart().judged(800);
    assertThat(script.pausedAt(1, 0, 700).steps()).endsWith("1: keep all 1 to 700");
  }
}

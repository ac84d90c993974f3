package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.ViolationGrade;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The next target of a plan whose restored cut is still a violation. Times are microseconds. */
class StepBackTest {
  private static final Policy P = Policies.beforeViolation("p");
  private static final long SECOND = 1_000_000;

  /** Node 0 was killed right after it acknowledged a witness, and was away for ten minutes. */
  @Test
  void itGoesRightBeforeTheLastWitnessBeganWhateverTheGap() {
    Script script = Script.of(1, P).judged(SECOND).pass(100_000);
    script.coverageLost(0, 2 * SECOND, 602 * SECOND);
    script.violation("v1", "p", 602 * SECOND, 602 * SECOND).paused(1, 0, 0).steps();
    script.judged(603 * SECOND).restored(1, 0, 1);
    assertThat(sinceFrom(script)).as("a second before the target").isEqualTo(600_999_999);
    script.convergedSince(1, 0, 1, "p", SECOND, 601 * SECOND);
    assertThat(script.steps())
        .containsExactly(
            "1: restore 1 to 602000000-", "1: converge 1", "1: restore 2 to 601000000-");
    script.restored(1, 0, 2).converged(1, 0, 2, "none").pass(31 * SECOND);
    assertThat(script.steps()).contains("1: resume from 601000000-");
  }

  @Test
  void aViolationOlderThanTheFirstLookIsFoundByTheSecond() {
    Script script = openedAt(60 * SECOND);
    script.restored(1, 0, 1).convergedSince(1, 0, 1, "p", 59 * SECOND, 59 * SECOND);
    assertThat(script.steps()).endsWith("1: restore 2 to 59000000-");
    assertThat(sinceFrom(script)).as("the safe point").isEqualTo(SECOND);
    script.restored(1, 0, 2).convergedSince(1, 0, 2, "p", 5 * SECOND, 9 * SECOND);
    assertThat(script.steps()).endsWith("1: restore 3 to 9000000-");
  }

  @Test
  void aTermIsAsOldAsAtTheNodeThatHadItFirst() {
    Script script = Script.of(2, P).judged(SECOND).pass(100_000);
    script.violation("v1", "p", 9 * SECOND, 9 * SECOND).judged(10 * SECOND);
    script.paused(1, 0, 0).paused(1, 1, 0).restored(1, 0, 1).restored(1, 1, 1);
    script.convergedSince(1, 0, 1, "p", 7 * SECOND, 8 * SECOND);
    script.convergedSince(1, 1, 1, "p", 6 * SECOND, 5 * SECOND);
    assertThat(script.steps()).endsWith("1: restore 2 to 6000000-");
  }

  /** No window-log reached back, or the node is of an earlier release. */
  @Test
  void itGoesToTheSafePointWhenNoNodeKnowsSinceWhen() {
    Script script = openedAt(60 * SECOND);
    violated(script, 1);
    assertThat(script.steps()).endsWith("1: converge 1", "1: restore 2 to 1000000");
    violated(script, 2);
    assertThat(script.steps())
        .contains("0: stand p from 1000000 to 1000000", "1: resume from 1000000");
    assertThat(RollbackMachine.phase(script.state())).isNull();
  }

  @Test
  void theLastAttemptGoesToTheSafePointAndThePlanEnds() {
    Script script = openedAt(60 * SECOND);
    for (int attempt = 1; attempt < 8; attempt++) {
      long since = (60 - attempt) * SECOND;
      script.restored(1, 0, attempt).convergedSince(1, 0, attempt, "p", since, since);
    }
    assertThat(script.steps())
        .endsWith("1: restore 7 to 54000000-", "1: converge 7", "1: restore 8 to 1000000");
  }

  @Test
  void anApprovedPlanGoesRightBeforeTheLastWitnessToo() {
    Script script =
        Script.of(1, Policies.gated("p", null, Approval.REQUIRED)).judged(SECOND).pass(100_000);
    script.coverageLost(0, 2 * SECOND, 602 * SECOND);
    script.violation("p", "", 602 * SECOND, 0, List.of("x")).judged(603 * SECOND);
    script.pass(31 * SECOND).answer(1, true).paused(1, 0, 0).restored(1, 0, 1);
    script.convergedSince(1, 0, 1, "p", 600 * SECOND, 599 * SECOND);
    assertThat(script.steps()).endsWith("1: restore 2 to 600000000-");
  }

  @Test
  void aClauseThatHoldsWhenARestartEndsStandsUntilItsNextWrite() {
    Script script =
        Script.of(1, Policies.whenUnreachable("p", OnUnreachable.RESTART))
            .violation("v1", "p", 100, 500);
    script.judged(600).paused(1, 0, 550).restored(1, 0, 1);
    script.convergedAt(1, 0, 1, 900, "p", 0, 1);
    assertThat(script.steps())
        .containsSubsequence("0: stand p from 900 to 900", "1: resume from 500- after 900 restart");
    script.violation("v2", "p", 900, 900, 1, ViolationGrade.DEFINITE).judged(950).steps();
    assertThat(script.outcomes()).endsWith(Command.Outcome.STANDS);
    script.restart().pass(100_000);
    assertThat(script.state().log().plan()).as("no reader of the log asks").isNull();
    script.steps();
    // A program writes one of the keys again: the cut before that write holds the old instance.
    script.violation("v3", "p", 990, 990, 1, ViolationGrade.DEFINITE).judged(999);
    script.paused(2, 0, 0).restored(2, 0, 1).convergedAt(2, 0, 1, 1_100, "p", 0, 1);
    assertThat(script.steps())
        .containsSubsequence("2: open [v3] to 990-", "2: resume from 990- after 1100");
  }

  /** Else it would open a plan each time that {@code for} is over. */
  @Test
  void aClauseWithForThatHoldsAtTheSafePointStandsUntilItsNextWrite() {
    Policy lasting = Policies.lasting("p", 5 * SECOND);
    Script script = Script.of(1, lasting).judged(SECOND).pass(100_000);
    script.violation("p", "", 60 * SECOND, 0, List.of("x")).judged(61 * SECOND).paused(1, 0, 0);
    violated(script, 1);
    script.restored(1, 0, 2).convergedAt(1, 0, 2, 70 * SECOND, "p", 0, 1);
    assertThat(script.steps())
        .containsSubsequence("0: stand p from 0 to 0", "1: resume from 0 after 70000000");

    script.violation("v2", "p", 70 * SECOND, 75 * SECOND, 1, ViolationGrade.DEFINITE);
    script.judged(76 * SECOND).pass(100_000).steps();
    assertThat(script.outcomes()).endsWith(Command.Outcome.STANDS);
    assertThat(script.state().log().plan()).isNull();

    script.violation("v3", "p", 75 * SECOND, 81 * SECOND, 1, ViolationGrade.DEFINITE);
    script.judged(82 * SECOND);
    assertThat(script.steps()).contains("2: open [v3] to 76000000-");
  }

  /** The HLC to which nodes look back in the last restore, in microseconds. */
  private static long sinceFrom(Script script) {
    return script.control().stream()
        .filter(ControlRecord::hasRestore)
        .reduce((before, last) -> last)
        .map(last -> Hlc.micros(last.getRestore().getSinceFrom()))
        .orElseThrow();
  }

  /** A plan that waits for the answers to its first restore. */
  private static Script openedAt(long violate) {
    Script script = Script.of(1, P).judged(SECOND).pass(100_000);
    return script.violation("v1", "p", violate, violate).judged(violate + SECOND).paused(1, 0, 0);
  }

  private static void violated(Script script, int attempt) {
    script.restored(1, 0, attempt).converged(1, 0, attempt, "p", 0, 1);
  }
}

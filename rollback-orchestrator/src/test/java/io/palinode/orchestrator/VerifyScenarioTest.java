package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.wire.v1.ViolationGrade;
import org.junit.jupiter.api.Test;

/** Cuts that are violations themselves, and instances that stand. Times are microseconds. */
class VerifyScenarioTest {
  private static final Policy P = Policies.beforeViolation("p");

  @Test
  void steppingBackSkipsTheSpanThatAnEarlierPlanDiscarded() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 400_000).judged(500_000);
    script.paused(1, 0, 0).restored(1, 0, 1).convergedAt(1, 0, 1, 600_000);
    script.coverageLost(0, 350_000, 350_001).judged(650_000).steps();
    script.violation("v2", "p", 650_000, 650_000, 1, ViolationGrade.POSSIBLE).paused(2, 0, 0);
    script.restored(2, 0, 1).converged(2, 0, 1, "p", 0, 1);
    assertThat(script.steps()).contains("2: restore 2 to 600000");
    script.restored(2, 0, 2).converged(2, 0, 2, "p", 0, 1);
    // It is the cut at the first plan's target, which the safe point has reached.
    assertThat(script.steps()).last().isEqualTo("2: resume from 600000");
  }

  @Test
  void aTargetInADiscardedSpanHaltsInsteadOfReinstatingIt() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(510);
    script.paused(1, 0, 0).restored(1, 0, 1).convergedAt(1, 0, 1, 700);
    script.violation("v2", "p", 600, 600, 1, ViolationGrade.POSSIBLE).judged(900).paused(2, 0, 0);
    assertThat(script.steps())
        .last()
        .isEqualTo(
            "2: halt: target %s.4095 is before epoch 1 began everywhere (%s): check the clocks of all nodes"
                .formatted(iso(599), iso(700)));
  }

  @Test
  void aCutThatIsItselfAViolationStepsBackToBeforeItsLastTerm() {
    long t = 1_000_000;
    Script script = Script.of(2, P).violation("v1", "p", 100, t).paused(1, 0, 0).paused(1, 1, 0);
    script.judged(t).steps();
    script.restored(1, 0, 1).restored(1, 1, 1);
    script.convergedSince(1, 0, 1, "p", 900_000).convergedSince(1, 1, 1, "p", 950_000, 800_000);
    assertThat(script.steps()).containsExactly("1: converge 1", "1: restore 2 to 900000-");
    script.restored(1, 0, 2).restored(1, 1, 2);
    script.convergedSince(1, 0, 2, "p", 700_000, 700_000).converged(1, 1, 2, "p");
    assertThat(script.steps()).containsExactly("1: converge 2", "1: restore 3 to 700000-");
    script.restored(1, 0, 3).restored(1, 1, 3);
    script.converged(1, 0, 3, "p", 0).converged(1, 1, 3, "p");
    assertThat(script.steps()).startsWith("1: converge 3", "1: resume from 700000-");
  }

  @Test
  void steppingBackStopsAtTheReachAndThenHalts() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500_000).judged(500_000);
    script.paused(1, 0, 450_000).restored(1, 0, 1).steps();
    script.converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps()).containsExactly("1: restore 2 to 450000");
    script.restored(1, 0, 2).converged(1, 0, 2, "p", 0, 1);
    assertThat(script.steps())
        .last()
        .asString()
        .endsWith("still holds at " + iso(450_000) + " and nothing before can be restored");
  }

  @Test
  void anInstanceViolatedBeforeItWasWatchedStandsAndTheClusterResumes() {
    Script script = heldBefore();
    assertThat(script.steps())
        .endsWith("0: stand p from 500 to 500", "1: resume from 500 after 600", "1: safe 501");
    assertThat(script.alerts().stream().filter(a -> a.kind() == Alert.Kind.VIOLATION_STANDS))
        .hasSize(1);
    // The detectors find it again, right where the epoch begins.
    script.violation("v2", "p", 600, 600, 1, ViolationGrade.DEFINITE);
    assertThat(script.outcomes()).endsWith(Command.Outcome.STANDS);
    assertThat(script.judged(700).pass(100_000).steps()).containsExactly("1: safe 700");
  }

  @Test
  void aWatchedInstanceThatHoldsAtTheSafePointStands() {
    Script script = heldBefore(P);
    assertThat(script.steps())
        .endsWith("0: stand p from 500 to 500", "1: resume from 500 after 600", "1: safe 501");
  }

  @Test
  void aSuccessorDoesNotPublishAgainThatItStands() {
    Script script = heldBefore();
    script.steps();
    assertThat(script.restart().pass(1_000).steps()).isEmpty();
    assertThat(script.state().log().gates().holds("p", "", Hlc.ofMicros(501))).isTrue();
  }

  @Test
  void aStandingInstanceIsRolledBackWhenItIsViolatedAgain() {
    Script script = heldBefore();
    script.steps();
    script.violation("v2", "p", 900, 900, 1, ViolationGrade.DEFINITE).judged(900);
    assertThat(script.steps()).startsWith("2: open [v2] to 900-");
    // Another predicate's cut may hold it.
    script.paused(2, 0, 0).restored(2, 0, 1).converged(2, 0, 1, "p", 0, 1);
    assertThat(script.steps()).endsWith("2: resume from 900-");
  }

  /** At the safe point the predicate is not watched yet and its terms hold. */
  private static Script heldBefore() {
    return heldBefore(P.appliedAt(500));
  }

  private static Script heldBefore(Policy policy) {
    Script script = Script.of(1, policy).judged(500).pass(100_000);
    script.violation("v1", "p", 501, 501).judged(501).paused(1, 0, 0).restored(1, 0, 1);
    script.converged(1, 0, 1, "p", 0, 1);
    if (script.state().log().plan() != null) {
      script.restored(1, 0, 2).convergedAt(1, 0, 2, 600, "p", 0, 1);
    }
    return script;
  }

  @Test
  void termsOfDifferentBindingsOrOldVersionsOrAlertOnlyPredicatesDoNotCompleteAClause() {
    Script script = Script.of(1, P, Policies.alertOnly("r")).violation("v1", "p", 100, 500);
    script.judged(500).paused(1, 0, 0).restored(1, 0, 1).steps();
    script.converged(1, 0, 1, "r", 0, 1);
    assertThat(script.steps()).startsWith("1: resume from 500-");
  }
}

package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.violations.FoundViolations;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.ViolationGrade;
import org.junit.jupiter.api.Test;

/** Plans that halt, and an operator's retry or abandon. Times are microseconds. */
class HaltScenarioTest {
  private static final Policy P = Policies.beforeViolation("p");

  @Test
  void aNodeThatCannotReachTheTargetHaltsThePlan() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).paused(1, 1, 500);
    assertThat(script.steps())
        .endsWith(
            "1: halt: target %s.4095 is out of the reach of node 1, which is back to %s"
                .formatted(iso(499), iso(500)));
    script.judged(900).paused(1, 0, 0).violation("v2", "p", 800, 850);
    assertThat(script.steps()).isEmpty();
    assertThat(script.alerts()).extracting(Alert::kind).contains(Alert.Kind.PLAN_HALTED);
  }

  @Test
  void aNodeThatLostItsWindowLogDuringThePauseHaltsThePlan() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).paused(1, 1, 0);
    script.joined(1, 501);
    assertThat(script.steps())
        .last()
        .asString()
        .startsWith("1: halt: target " + iso(499) + ".4095 is out");
  }

  @Test
  void aNodeThatFailsToRestoreHaltsThePlan() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 0).judged(600);
    script.steps();
    assertThat(script.restoreFailed(1, 0, "disk full").steps())
        .containsExactly("1: halt: node 0 could not restore: disk full");
  }

  @Test
  void aHaltedPlanThatIsRetriedRestoresAgainWithTheNextAttempt() {
    Script script = failedRestore();
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: restore 2 to 500-");
    script.restored(1, 0, 2).restored(1, 1, 2).convergedAt(1, 0, 2, 900).converged(1, 1, 2, "p");
    assertThat(script.steps()).contains("1: converge 2", "1: resume from 500- after 900");
    assertThat(script.state().log().plan()).isNull();
    assertThat(script.state().heldAt()).isEqualTo(FoundViolations.NOT_HELD);
  }

  @Test
  void aHaltedPlanThatIsAbandonedOpensItsEpochAndUndoesNothing() {
    Script script = failedRestore();
    assertThat(script.operator(1, Intervention.ABANDON).steps())
        .containsExactly("1: abandon 1", "1: keep 2 to 500-");
    script.restored(1, 0, 2).restored(1, 1, 2).convergedAt(1, 0, 2, 900);
    script.converged(1, 1, 2, "p", 0, 1).judged(2_000).pass(100_000);
    assertThat(script.steps()).containsExactly("1: converge 2", "1: resume from 500- after 900");
    assertThat(script.alerts()).extracting(Alert::kind).endsWith(Alert.Kind.PLAN_ABANDONED);
    script.violation("again", "p", 100, 450);
    assertThat(script.outcomes()).last().isEqualTo(Command.Outcome.ABANDONED);
  }

  @Test
  void aPlanThatIsTooLargeForANodeIsAbandonedBySlices() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).paused(1, 0, 0).judged(600);
    script.paused(1, 1, 0).restored(1, 0, 1).tooLarge(1, 1, 1);
    assertThat(script.steps()).endsWith("1: halt: node 1 could not restore: too large");
    script.operator(1, Intervention.ABANDON).tooLarge(1, 1, 2);
    assertThat(script.steps())
        .containsExactly("1: abandon 1", "1: keep 2 to 500-", "1: keep all 3 to 500-");
    // The other node's acknowledgement of the earlier attempt is late.
    script.restored(1, 0, 2).restored(1, 0, 3).restored(1, 1, 3);
    script.convergedAt(1, 0, 3, 900).convergedAt(1, 1, 3, 800);
    assertThat(script.steps()).containsExactly("1: converge 3", "1: resume from 500- after 900");
  }

  /** A copy that failed before stays missing: a node without that reach cannot name it. */
  @Test
  void aPlanWhoseTargetANodeDoesNotReachIsAbandonedBySlices() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).paused(1, 0, 0);
    script.paused(1, 1, 550).steps();
    assertThat(script.operator(1, Intervention.ABANDON).steps())
        .containsExactly("1: abandon 1", "1: keep all 1 to 500-");
  }

  @Test
  void aPlanIsAbandonedBySlicesIfANodeLosesItsWindowLog() {
    Script script = failedRestore().joined(0, 501);
    assertThat(script.operator(1, Intervention.ABANDON).steps())
        .containsExactly("1: abandon 1", "1: keep all 2 to 500-");
  }

  @Test
  void theSafePointDoesNotPassAnAbandonedSpanUntilItIsAcknowledged() {
    Script script = Script.of(1, P).judged(400).violation("v1", "p", 100, 500).paused(1, 0, 501);
    script.operator(1, Intervention.ABANDON).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    script.judged(700).pass(100_000).steps();
    assertThat(script.restart().judged(800).pass(100_000).steps()).isEmpty();
    assertThat(script.state().heldAt()).isEqualTo(400L << 12);
    assertThat(script.acknowledgeCoverage().steps()).containsExactly("1: safe 800");
    script.judged(2_000).pass(100_000);
    assertThat(script.restart().state().abandoned()).as("the safe point has passed it").isNull();
  }

  @Test
  void afterAnAbandonedPlanNoPlanGoesBeforeIt() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 501);
    script.operator(1, Intervention.ABANDON).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    script.violation("v2", "p", 950, 950, 1, ViolationGrade.POSSIBLE).judged(960).steps();
    script.paused(2, 0, 0).restored(2, 0, 1).converged(2, 0, 1, "p", 0, 1);
    assertThat(script.steps()).contains("2: restore 1 to 950-", "2: restore 2 to 900");
    script.restored(2, 0, 2).converged(2, 0, 2, "p", 0, 1);
    assertThat(script.steps()).endsWith("1: stand p from 900 to 900", "2: resume from 900");
  }

  @Test
  void aHaltOfAnotherOrchestratorFromBeforeTheRetryDoesNotCount() {
    Script script = failedRestore();
    Halted first =
        script.control().stream().filter(r -> r.hasHalted()).findFirst().get().getHalted();
    script.operator(1, Intervention.RETRY).steps();
    script.log(script.record(1).setHalted(first));
    assertThat(RollbackMachine.phase(script.state())).isEqualTo(Phase.RESTORING);
    // Decided after the retry, but not for this attempt.
    script.log(script.record(1).setHalted(first.toBuilder().setHaltsBefore(1)));
    assertThat(RollbackMachine.phase(script.state())).isEqualTo(Phase.RESTORING);
    script.log(script.record(1).setHalted(first.toBuilder().setHaltsBefore(1).setAttempt(2)));
    assertThat(RollbackMachine.phase(script.state())).isEqualTo(Phase.HALTED);
  }

  @Test
  void aResumeOfAnEarlierAttemptDoesNotOpenTheEpoch() {
    Script script = failedRestore().operator(1, Intervention.RETRY);
    script.restored(1, 0, 2).restored(1, 1, 2);
    assertThat(RollbackMachine.phase(script.state())).isEqualTo(Phase.CONVERGING);
    script.log(script.record(1).setResume(Resume.newBuilder().setAttempt(1)));
    assertThat(RollbackMachine.phase(script.state())).isEqualTo(Phase.CONVERGING);
    script.log(script.record(1).setResume(Resume.newBuilder().setAttempt(2)));
    assertThat(script.state().log().epoch()).isEqualTo(1);
  }

  @Test
  void aRetryHasItsOwnAttempts() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 60_000_000).judged(60_000_000);
    script.paused(1, 0, 0);
    for (int attempt = 1; attempt <= 6; attempt++) {
      heldSince(script, attempt, 60_000_000 - attempt);
    }
    script.refused(1, 0, 7, "disk full").operator(1, Intervention.RETRY).steps();
    for (int attempt = 8; attempt <= 14; attempt++) {
      heldSince(script, attempt, 60_000_000 - attempt);
    }
    assertThat(script.steps())
        .as("the eighth of these attempts is the last one")
        .contains("1: restore 14 to 59999987-", "1: restore 15 to 0");
  }

  private static void heldSince(Script script, int attempt, long micros) {
    script.restored(1, 0, attempt).convergedSince(1, 0, attempt, "p", micros, micros);
  }

  @Test
  void aRefusedInterventionHasItsReason() {
    Script script = Script.of(1, P).judged(400);
    assertThat(script.refusal(1, Intervention.RETRY)).isEqualTo("rollback 1 is not open");
    script.violation("v1", "p", 100, 500);
    assertThat(script.refusal(1, Intervention.RETRY)).startsWith("rollback 1 is not halted");
    script.paused(1, 0, 501).steps();
    assertThat(script.refusal(1, Intervention.RETRY))
        .contains("out of the reach of node 0")
        .endsWith("it can only be abandoned");
    assertThat(script.operator(1, Intervention.RETRY).steps()).isEmpty();
    assertThat(script.refusal(1, Intervention.ABANDON)).isEmpty();
    assertThat(script.refusal(2, Intervention.ABANDON)).isEqualTo("rollback 2 is not open");
  }

  @Test
  void aDecisionForAnEarlierOrNoHaltChangesNothing() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600);
    script.log(script.record(1).setAbandon(Abandon.newBuilder().setHalt(0)));
    script.paused(1, 0, 0).paused(1, 1, 0).restoreFailed(1, 0, "disk full");
    script.operator(1, Intervention.RETRY).steps();
    script.log(
        script
            .record(1)
            .setRestored(
                io.palinode.wire.v1.Restored.newBuilder().setAttempt(2).setFailure("disk full")));
    script.steps();
    script.log(script.record(1).setAbandon(Abandon.newBuilder().setHalt(1)));
    assertThat(script.steps()).isEmpty();
    assertThat(script.operator(1, Intervention.ABANDON).steps()).contains("1: abandon 2");
  }

  @Test
  void anAbandonedPlanNamesTheCutBeforeItsAttempt() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600);
    script.pausedAt(1, 0, 700).pausedAt(1, 1, 710).restored(1, 0, 1);
    script.restoreFailed(1, 1, "disk full").operator(1, Intervention.ABANDON);
    Restore keep =
        script.control().stream()
            .filter(ControlRecord::hasRestore)
            .map(ControlRecord::getRestore)
            .filter(Restore::getKeep)
            .findFirst()
            .orElseThrow();
    assertThat(keep.getPast()).isEqualTo(Hlc.ofMicros(710));
  }

  private static Script failedRestore() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 0).paused(1, 1, 0).restored(1, 0, 1).restoreFailed(1, 1, "disk full");
    assertThat(script.steps()).last().asString().startsWith("1: halt: node 1 could not restore");
    return script;
  }
}

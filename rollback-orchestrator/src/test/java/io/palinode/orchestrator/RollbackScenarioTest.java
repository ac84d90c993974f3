package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Phase;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.violations.FoundViolations;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.ViolationGrade;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The protocol step by step. Times are microseconds; {@code 500-} is right before 500. */
class RollbackScenarioTest {
  private static final Policy P = Policies.beforeViolation("p");
  private static final Policy Q = Policies.beforeFirstWitness("q");

  @Test
  void aViolationRestoresTheStoreToRightBeforeIt() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500);
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-", "1: pause");
    script.paused(1, 0, 0).judged(600).paused(1, 1, 0);
    assertThat(script.steps()).containsExactly("1: restore 1 to 500-");
    script.restored(1, 0, 1).restored(1, 1, 1);
    assertThat(script.steps()).containsExactly("1: converge 1");
    script.converged(1, 0, 1, "p", 0).converged(1, 1, 1, "p");
    assertThat(script.steps()).containsExactly("1: resume from 500-", "1: safe 600");
    assertThat(script.state().log().epoch()).isEqualTo(1);
  }

  @Test
  void aRestoreWaitsUntilEverythingUpToItsTargetIsJudged() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 0).judged(499);
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-", "1: pause");
    assertThat(script.judged(500).steps()).containsExactly("1: restore 1 to 500-");
  }

  @Test
  void aViolationThatCrossesThePauseMovesTheTargetBack() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 0);
    script.violation("v2", "p", 100, 400).violation("v3", "p", 100, 700).judged(800);
    assertThat(script.steps())
        .containsExactly("1: open [v1] to 500-", "1: pause", "1: restore 1 to 400-");
  }

  @Test
  void violationsOfTheOldEpochThatAPlanUndoesAreCovered() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 0).judged(600);
    script.violation("v2", "p", 450, 550);
    script.restored(1, 0, 1).converged(1, 0, 1, "p").violation("v3", "p", 450, 501);
    assertThat(script.outcomes())
        .containsExactly(
            Command.Outcome.ROLLBACK, Command.Outcome.COVERED, Command.Outcome.COVERED);
    assertThat(script.state().log().plan()).isNull();
  }

  @Test
  void aViolationBeforeTheRestoredCutIsTakenByTheNextPlan() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 0).judged(600);
    script.violation("late", "p", 100, 300).restored(1, 0, 1).converged(1, 0, 1, "p");
    assertThat(script.steps())
        .endsWith("1: resume from 500-", "2: open [late] to 300-", "2: pause");
  }

  @Test
  void aViolationOfANewEpochThatArrivesBeforeItsResumeWaitsForIt() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 0).judged(600);
    script.restored(1, 0, 1).holdLog().converged(1, 0, 1, "p");
    script.violation("v2", "p", 700, 800, 1, ViolationGrade.DEFINITE);
    assertThat(script.steps()).endsWith("1: resume from 500-");
    assertThat(script.releaseLog().steps()).containsExactly("2: open [v2] to 800-", "2: pause");
  }

  @Test
  void anOlderEpochsViolationIsCoveredByAnyLaterPlanThatWentBehindIt() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(600).carryOut(1);
    script.violation("v2", "p", 700, 750, 1, ViolationGrade.POSSIBLE).judged(800).carryOut(2);
    script.violation("v0", "p", 500, 550).violation("v9", "p", 700, 770);
    assertThat(script.outcomes()).endsWith(Command.Outcome.COVERED, Command.Outcome.COVERED);
    assertThat(script.state().log().plan()).isNull();
  }

  @Test
  void anOlderEpochsViolationThatNoPlanUndidOpensOne() {
    Script script = Script.of(1, P).coverageLost(0, 100, 110);
    script.violation("v1", "p", 100, 500).judged(600).carryOut(1).steps();
    script.violation("v0", "p", 200, 300);
    assertThat(script.steps()).containsExactly("2: open [v0] to 300-", "2: pause");
  }

  @Test
  void aNodeThatCannotReachTheTargetHaltsThePlan() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).paused(1, 1, 500);
    assertThat(script.steps())
        .endsWith("1: halt: target 499.4095 is out of the reach of node 1, which is back to 500");
    script.judged(900).paused(1, 0, 0).violation("v2", "p", 800, 850);
    assertThat(script.steps()).isEmpty();
    assertThat(script.alerts()).extracting(Alert::kind).contains(Alert.Kind.PLAN_HALTED);
  }

  @Test
  void aNodeThatLostItsWindowLogDuringThePauseHaltsThePlan() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).paused(1, 1, 0);
    script.joined(1, 501);
    assertThat(script.steps()).last().asString().startsWith("1: halt: target 499.4095 is out");
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
  void aHaltedPlanThatIsAbandonedOpensItsEpochAndTakesNothingBack() {
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
    for (int attempt = 1; attempt <= 3; attempt++) {
      script.restored(1, 0, attempt).converged(1, 0, attempt, "p", 0, 1);
    }
    script.refused(1, 0, 4, "disk full").operator(1, Intervention.RETRY).steps();
    script.restored(1, 0, 5).converged(1, 0, 5, "p", 0, 1);
    assertThat(script.steps()).last().asString().startsWith("1: restore 6 to 5920000");
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

  private static Script failedRestore() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 0).paused(1, 1, 0).restored(1, 0, 1).restoreFailed(1, 1, "disk full");
    assertThat(script.steps()).last().asString().startsWith("1: halt: node 1 could not restore");
    return script;
  }

  @Test
  void anEpochBeginsAfterTheLatestClockOfAllNodes() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 0).paused(1, 1, 0).restored(1, 0, 1).restored(1, 1, 1);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 700);
    assertThat(script.steps()).contains("1: resume from 500- after 900");
  }

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
            "2: halt: target 599.4095 is before epoch 1 began everywhere (700):"
                + " check the clocks of all nodes");
  }

  @Test
  void aCutThatIsItselfAViolationStepsBackTwiceAsFarEachTime() {
    long t = 1_000_000;
    Script script = Script.of(2, P).violation("v1", "p", 100, t).paused(1, 0, 0).paused(1, 1, 0);
    script.judged(t).steps();
    script.restored(1, 0, 1).restored(1, 1, 1);
    script.converged(1, 0, 1, "p", 0).converged(1, 1, 1, "p", 1);
    assertThat(script.steps()).containsExactly("1: converge 1", "1: restore 2 to 900000-");
    script.restored(1, 0, 2).restored(1, 1, 2);
    script.converged(1, 0, 2, "p", 0, 1).converged(1, 1, 2, "p");
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
        .endsWith("still holds at 450000 and nothing before can be restored");
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

  @Test
  void repeatedAnswersCountOnce() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 0).paused(1, 0, 0).steps();
    script.paused(1, 1, 0).restored(1, 0, 1).restored(1, 0, 1).paused(1, 0, 0);
    assertThat(script.steps()).containsExactly("1: restore 1 to 500-");
  }

  @Test
  void aRecordOnItsWayIsNotWrittenTwice() {
    Script script = Script.of(1, P).holdLog().violation("v1", "p", 100, 500);
    script.violation("v2", "p", 100, 400).judged(300).pass(1_000);
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-");
    script.releaseLog().paused(1, 0, 0).judged(500);
    assertThat(script.steps()).containsExactly("1: pause", "1: restore 1 to 400-");
  }

  @Test
  void anAppendThatFailedIsTriedAgainAfterASecond() {
    Script script = Script.of(1, P).holdLog().violation("v1", "p", 100, 500).failHeld();
    assertThat(script.pass(900_000).steps()).containsExactly("1: open [v1] to 500-");
    assertThat(script.pass(200_000).steps()).containsExactly("1: open [v1] to 500-", "1: pause");
    assertThat(script.alerts()).extracting(Alert::kind).contains(Alert.Kind.CONTROL_WRITE_FAILED);
  }

  @Test
  void aStepThatAnotherOrchestratorWroteFirstCounts() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).paused(1, 0, 0);
    script.log(script.record(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(7L << 12)));
    script.judged(600).restored(1, 0, 1);
    assertThat(script.steps()).doesNotContain("1: restore 1 to 500-").endsWith("1: converge 1");
  }

  @Test
  void killedAnywhereItContinuesAndWritesTheSameStepsOnce() {
    List<Consumer<Script>> story =
        List.of(
            s -> s.judged(50),
            s -> s.violation("v1", "p", 100, 500),
            s -> s.violation("v2", "p", 100, 400),
            s -> s.paused(1, 0, 0),
            s -> s.paused(1, 1, 0),
            s -> s.judged(600),
            s -> s.restored(1, 0, 1),
            s -> s.restored(1, 1, 1),
            s -> s.converged(1, 0, 1, "p", 0),
            s -> s.converged(1, 1, 1, "p", 1),
            s -> s.restored(1, 1, 2),
            s -> s.restored(1, 0, 2),
            s -> s.converged(1, 0, 2, "p", 0),
            s -> s.converged(1, 1, 2, "p"),
            s -> s.pass(50_000));
    List<String> expected = run(story, -1, false);
    assertThat(expected).contains("1: restore 1 to 400-").last().isEqualTo("1: safe 600");
    for (int kill = 0; kill < story.size(); kill++) {
      assertThat(run(story, kill, false)).as("killed after %d", kill).isEqualTo(expected);
      assertThat(run(story, kill, true)).as("write lost at %d", kill).isEqualTo(expected);
    }
  }

  /** The steps that are in the log in the end, each once. */
  private static List<String> run(List<Consumer<Script>> story, int kill, boolean loseWrites) {
    Script script = Script.of(2, P);
    List<String> inLog = new java.util.ArrayList<>();
    for (int i = 0; i < story.size(); i++) {
      if (i == kill && loseWrites) {
        script.holdLog();
      }
      story.get(i).accept(script);
      if (i == kill) {
        List<String> written = script.steps();
        inLog.addAll(loseWrites ? List.of() : written);
        script.loseHeld().restart();
      }
      inLog.addAll(script.steps());
    }
    return inLog;
  }

  @Test
  void beforeFirstWitnessGoesBeforeTheFirstStart() {
    Script script = Script.of(1, Q).violation("v1", "q", 300, 500);
    assertThat(script.steps()).startsWith("1: open [v1] to 300-");
  }

  @Test
  void beforeFirstWitnessDoesNotPassTheSafePoint() {
    Script script = Script.of(1, Q).judged(400).violation("v1", "q", 300, 500);
    assertThat(script.steps()).startsWith("0: safe 400", "1: open [v1] to 400");
  }

  @Test
  void aSafePointThatArrivesLateStillBoundsTheTarget() {
    Script script = Script.of(1, Q).holdLog().violation("v1", "q", 300, 500);
    script.log(script.record(0).setSafePoint(SafePoint.newBuilder().setHlc(400L << 12)));
    script.releaseLog().judged(500).paused(1, 0, 0);
    assertThat(script.steps())
        .containsExactly("1: open [v1] to 300-", "1: pause", "1: restore 1 to 400");
  }

  @Test
  void aViolationAtTheSafePointIsAlertedAndNotRolledBack() {
    Script script = Script.of(1, P).judged(400).violation("v1", "p", 300, 400);
    assertThat(script.steps()).containsExactly("0: safe 400");
    assertThat(script.alerts())
        .extracting(Alert::kind)
        .containsExactly(Alert.Kind.VIOLATION_TOO_LATE);
  }

  @Test
  void theSafePointFollowsJudgementAtMostEvery50Ms() {
    Script script = Script.of(1, P).judged(100).judged(200).judged(300);
    assertThat(script.steps()).containsExactly("0: safe 100");
    assertThat(script.pass(49_999).steps()).isEmpty();
    assertThat(script.pass(1).steps()).containsExactly("0: safe 300");
    assertThat(script.judged(250).pass(50_000).steps()).isEmpty();
  }

  @Test
  void theSafePointStandsWhileAPlanIsOpen() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(450).pass(100_000);
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-", "1: pause");
    script.log(script.record(1).setSafePoint(SafePoint.newBuilder().setHlc(450L << 12)));
    assertThat(script.state().safePoint()).isZero();
  }

  @Test
  void aCoverageGapHoldsTheSafePointUntilItIsAcknowledged() {
    Script script = Script.of(1, P).judged(100).pass(50_000);
    script.coverageLost(0, 200, 250).judged(300).pass(50_000);
    assertThat(script.steps()).containsExactly("0: safe 100", "0: safe 200-");
    assertThat(script.judged(400).pass(50_000).steps()).isEmpty();
    assertThat(script.alerts()).extracting(Alert::kind).containsExactly(Alert.Kind.COVERAGE_LOST);
    assertThat(script.acknowledgeCoverage().steps()).containsExactly("0: safe 400");
  }

  @Test
  void anUnacknowledgedCoverageGapHoldsTheSafePointFor30Seconds() {
    Script script = Script.of(1, P).judged(100).pass(50_000);
    script.coverageLost(0, 200, 250).judged(300).pass(29_000_000);
    assertThat(script.steps()).containsExactly("0: safe 100", "0: safe 200-");
    assertThat(script.pass(1_000_000).steps()).containsExactly("0: safe 300");
    assertThat(script.restart().judged(400).pass(50_000).steps())
        .as("the gap does not hold it again")
        .containsExactly("0: safe 400");
  }

  @Test
  void aFurtherGapProlongsTheHold() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250).judged(300).pass(20_000_000);
    script.coverageLost(0, 220, 240).pass(20_000_000);
    assertThat(script.steps()).containsExactly("0: safe 200-");
    assertThat(script.pass(10_000_000).steps()).containsExactly("0: safe 300");
  }

  @Test
  void theAlertOfAKilledNodesGapNamesTheCause() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250);
    assertThat(script.alerts().get(0).annotations().get("summary"))
        .contains("was killed", "from 200 to 250", "at most 30 s");
  }

  @Test
  void theAlertOfAGapWithoutANodeHasOnlyItsCause() {
    CoverageLost gap =
        CoverageLost.newBuilder()
            .setPartition(2)
            .setToHlc(Hlc.ofMicros(250))
            .setCause("why")
            .build();
    Alert alert = Script.of(1, P).judged(100).coverageLost(gap).alerts().get(0);
    assertThat(alert.labels()).containsEntry("partition", "2").doesNotContainKey("node");
    assertThat(alert.annotations().get("summary"))
        .startsWith("why: some events up to 250 were not judged; the safe point is held");
  }

  @Test
  void anAcknowledgedGapDoesNotHoldTheSafePointAfterARestart() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250).judged(300).acknowledgeCoverage();
    script.pass(50_000).judged(300).restart().judged(400).pass(50_000);
    assertThat(script.steps()).last().isEqualTo("0: safe 400");
  }

  @Test
  void aGapWithoutAStartHoldsTheSafePointWhereItIs() {
    Script script = Script.of(1, P).judged(100).coverageLost(0, 0, 150).judged(200).pass(50_000);
    assertThat(script.steps()).containsExactly("0: safe 100");
    assertThat(script.restart().pass(50_000).steps()).isEmpty();
    assertThat(script.acknowledgeCoverage().steps()).containsExactly("0: safe 200");
  }

  @Test
  void aGapBeforeTheSafePointIsAlertedAndHoldsNothing() {
    Script script = Script.of(1, P).judged(300).coverageLost(0, 100, 200).judged(400).pass(50_000);
    assertThat(script.steps()).containsExactly("0: safe 300", "0: safe 400");
    assertThat(script.alerts().get(0).annotations().get("summary"))
        .contains("from 100 to 200", "the safe point 300 had passed it");
  }

  @Test
  void anUnacknowledgedGapHoldsTheSafePointAfterARestart() {
    Script script = Script.of(1, P).coverageLost(0, 200, 250).judged(300).restart().judged(400);
    assertThat(script.pass(50_000).steps()).containsExactly("0: safe 200-");
  }

  @Test
  void aViolationBelowItsGradeOrOfADeletedPredicateCausesNothing() {
    Script script = Script.of(1, P, Policy.deleted("gone", 1));
    script.violation("v1", "p", 100, 500, 0, ViolationGrade.UNCERTAIN);
    script.violation("v2", "gone", 100, 500);
    assertThat(script.steps()).isEmpty();
    assertThat(script.alerts()).isEmpty();
    assertThat(script.outcomes()).containsOnly(Command.Outcome.NO_ROLLBACK);
  }

  @Test
  void aViolationWhoseGradeRoseActsThen() {
    Script script = Script.of(1, P);
    script.violation("v1", "p", 100, 500, 0, ViolationGrade.UNCERTAIN);
    script.violation("v1", "p", 100, 500, 0, ViolationGrade.DEFINITE);
    assertThat(script.steps()).startsWith("1: open [v1] to 500-");
  }

  @Test
  void aViolationOfAnUnknownPredicateWaitsForItAndHoldsTheSafePoint() {
    Script script = Script.of(1).violation("v1", "p", 100, 500).judged(600).pass(50_000);
    assertThat(script.steps()).isEmpty();
    assertThat(script.policy(P).steps()).startsWith("1: open [v1] to 500-");
  }

  @Test
  void aViolationWhosePredicateStaysUnknownIsDroppedWithAnAlert() {
    Script script = Script.of(1).violation("v1", "p", 100, 500).judged(600).pass(5_100_000);
    assertThat(script.alerts())
        .extracting(Alert::kind)
        .containsExactly(Alert.Kind.PREDICATE_UNKNOWN);
    assertThat(script.steps()).containsExactly("0: safe 600");
  }

  @Test
  void aPlanThatWaitsForANodeIsAlertedAndGoesOn() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600).paused(1, 0, 0);
    script.pass(10_100_000).pass(1_000);
    assertThat(script.alerts())
        .filteredOn(a -> a.kind() == Alert.Kind.PLAN_WAITS)
        .singleElement()
        .satisfies(
            a ->
                assertThat(a.annotations())
                    .containsEntry("summary", "the rollback waits for nodes [1]"));
    assertThat(script.paused(1, 1, 0).steps()).endsWith("1: restore 1 to 500-");
  }

  @Test
  void answersOfNodesThatAreNotInTheClusterAreSkipped() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(600).paused(1, 7, 999);
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-", "1: pause");
  }

  @Test
  void aViolationIsAlertedOnceEvenAfterARestart() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(600).carryOut(1);
    script.restart();
    assertThat(script.alerts()).extracting(Alert::kind).containsExactly(Alert.Kind.VIOLATION);
    assertThat(script.alerts().get(0).labels())
        .containsEntry("predicate", "p")
        .containsEntry("grade", "possible")
        .containsEntry("epoch", "0");
  }

  @Test
  void sameLogSameJournal() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600).carryOut(1);
    ControlLogState replayed = ControlLogState.empty(2);
    for (ControlRecord record : script.control()) {
      replayed = replayed.read(record);
    }
    assertThat(replayed).isEqualTo(script.state().log());
  }
}

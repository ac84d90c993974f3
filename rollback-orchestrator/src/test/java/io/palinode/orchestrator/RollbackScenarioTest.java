package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.Script.Amount;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Restore;
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

  /** Right before the terms began to hold together; the safe point leaves room for that. */
  @Test
  void aViolationOfAClauseWithATimeGoesBackToBeforeItBeganToHold() {
    Policy lasting = Policies.lasting("p", 200);
    Script script = Script.of(1, lasting).judged(600);
    assertThat(script.steps()).containsExactly("0: safe 400");
    script.violation("v1", "p", 100, 700).paused(1, 0, 0).judged(800);
    assertThat(script.steps()).endsWith("1: open [v1] to 500-", "1: pause", "1: restore 1 to 500-");
  }

  /**
   * A transfer wrote 9 for 10 at 450, and at 500 not the 1 that was due. So the total is wrong
   * between the two puts too, where the values did not stand for the time.
   */
  @Test
  void aSumWithATimeGoesBackToBeforeItWasWrongWithOtherValues() {
    Script script = Script.of(1, Policies.lastingSum("p", 200)).judged(600).pass(1_000_000);
    assertThat(script.judged(660).pass(1_000_000).steps())
        .containsExactly("0: safe 200", "0: safe 260");
    script.violation("p", "", 700, 0, List.of("x", "y")).paused(1, 0, 0).judged(700);
    assertThat(script.steps()).endsWith("1: restore 1 to 500-");
    script.restored(1, 0, 1).convergedSum(1, 0, 1, "p", new Amount("9", 450), new Amount("0", 300));
    assertThat(script.steps()).endsWith("1: restore 2 to 450-");
    script
        .restored(1, 0, 2)
        .convergedSum(1, 0, 2, "p", new Amount("10", 270), new Amount("0", 300));
    assertThat(script.steps()).contains("1: resume from 450-");
  }

  /** Its trigger would stay. The safe point leaves room for the time, and a second for ε. */
  @Test
  void aTriggerWithoutAnAnswerGoesBackToBeforeTheTrigger() {
    Script script = Script.of(1, Policies.within("p", 1)).judged(2_000_000);
    assertThat(script.steps()).containsExactly("0: safe 999000");
    script.violation("v1", "p", 1_500_000, 2_100_000).paused(1, 0, 0).judged(2_200_000);
    assertThat(script.steps())
        .endsWith("1: open [v1] to 1500000-", "1: pause", "1: restore 1 to 1500000-");
  }

  @Test
  void aTargetThatTheSafePointHasPassedIsTheSafePoint() {
    Script script = Script.of(1, P).judged(600);
    script.policy(Policies.lasting("q", 200)).violation("v1", "q", 100, 700);
    assertThat(script.steps()).endsWith("1: open [v1] to 600", "1: pause");
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
  void anEpochBeginsAfterTheLatestClockOfAllNodes() {
    Script script = Script.of(2, P).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 0).paused(1, 1, 0).restored(1, 0, 1).restored(1, 1, 1);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 700);
    assertThat(script.steps()).contains("1: resume from 500- after 900");
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
  void aPlanThatWaitsForANodeIsAlertedAndContinues() {
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
        .as("both may change while it holds")
        .containsEntry("predicate", "p")
        .doesNotContainKeys("grade", "epoch");
    assertThat(script.alerts().get(0).annotations())
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

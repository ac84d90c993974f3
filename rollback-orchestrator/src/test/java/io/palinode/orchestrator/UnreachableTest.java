package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.plan.SnapshotCut;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Retry;
import io.palinode.wire.v1.ViolationGrade;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Plans with a node that cannot restore the target. Times are microseconds. */
class UnreachableTest {
  private static final Policy SNAPSHOT =
      Policies.whenUnreachable("p", OnUnreachable.NEAREST_SNAPSHOT);
  private static final Policy RESTART = Policies.whenUnreachable("p", OnUnreachable.RESTART);

  @Test
  void theNewestSnapshotBeforeTheTargetIsTakenWhenAllArePausedAndItIsJudged() {
    Script script =
        Script.of(2, SNAPSHOT)
            .snapshot("old", 1, 200, 2)
            .snapshot("near", 2, 400, 2)
            .snapshot("late", 3, 600, 2)
            .snapshot("partial", 4, 450, 1)
            .violation("v1", "p", 100, 500)
            .paused(1, 0, 550)
            .judged(600);
    assertThat(script.steps()).containsExactly("1: open [v1] to 500-", "1: pause");
    assertThat(script.paused(1, 1, 0).steps()).containsExactly("1: restore 1 to 400 by near");
    script.restored(1, 0, 1).restored(1, 1, 1).convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 800);
    assertThat(script.steps()).contains("1: converge 1", "1: resume from 400 after 900");
    assertThat(script.state().log().plans().isSettled(0, 500L << 12)).isTrue();
  }

  @Test
  void itWaitsForJudgementForAnEarlierViolationMovesTheTarget() {
    Script script =
        Script.of(1, SNAPSHOT)
            .snapshot("old", 1, 200, 1)
            .snapshot("near", 2, 400, 1)
            .violation("v1", "p", 100, 500)
            .paused(1, 0, 550);
    script.judged(300).violation("v0", "p", 100, 350).steps();
    assertThat(script.judged(600).steps()).containsExactly("1: restore 1 to 200 by old");
  }

  @Test
  void withoutAWholeSnapshotItHalts() {
    Script script =
        Script.of(2, SNAPSHOT)
            .snapshot("partial", 1, 200, 1)
            .snapshot("gone", 2, 300, 2)
            .snapshotDeleted("gone")
            .violation("v1", "p", 100, 500)
            .paused(1, 0, 550);
    assertThat(script.steps())
        .last()
        .asString()
        .endsWith("which is back to " + iso(550) + "; no whole snapshot before it can be restored");
  }

  @Test
  void aTargetInReachIsRestoredByTheWindowLogs() {
    Script script =
        Script.of(1, SNAPSHOT).snapshot("near", 1, 400, 1).violation("v1", "p", 100, 500);
    script.paused(1, 0, 0).judged(600);
    assertThat(script.steps()).endsWith("1: restore 1 to 500-");
  }

  @Test
  void aNodeWithoutItsPartMakesThePlanGoToTheNextOlderSnapshot() {
    Script script = atSnapshot();
    assertThat(script.refused(1, 1, 1, "block 3 is damaged").steps())
        .containsExactly("1: restore 2 to 200 by old");
    // The answers to the attempt before are late.
    script.restored(1, 0, 1).restored(1, 0, 2).restored(1, 1, 2);
    assertThat(script.steps()).containsExactly("1: converge 2");
  }

  /** If replicas differ, the node names its restored keys again; it may have lost them. */
  @Test
  void aNodeThatHasLostItsRestoredKeysEndsTheAttempt() {
    Script script = atSnapshot().restored(1, 0, 1).restored(1, 1, 1);
    assertThat(script.steps()).endsWith("1: converge 1");
    assertThat(script.refused(1, 1, 1, "it is lost").steps())
        .containsExactly("1: restore 2 to 200 by old");
    script.restored(1, 0, 2).restored(1, 1, 2).steps();
    assertThat(script.refused(1, 1, 2, "it is lost").steps())
        .containsExactly(
            "1: halt: node 1 could not restore: it is lost; no whole snapshot before it can be"
                + " restored");
    assertThat(script.operator(1, Intervention.ABANDON).steps())
        .containsExactly("1: abandon 1", "1: keep all 3 to 200");
  }

  @Test
  void aSnapshotThatIsAViolationEndsTheAttempt() {
    Script script = atSnapshot().restored(1, 0, 1).restored(1, 1, 1);
    script.converged(1, 0, 1, "p", 0, 1).converged(1, 1, 1, "p");
    assertThat(script.steps()).endsWith("1: restore 2 to 200 by old");
    script.restored(1, 0, 2).restored(1, 1, 2).converged(1, 0, 2, "p", 0, 1);
    script.converged(1, 1, 2, "p").steps();
    assertThat(script.state().log().plan()).isNotNull();
    assertThat(script.alerts()).extracting(Alert::kind).endsWith(Alert.Kind.PLAN_HALTED);
  }

  @Test
  void aPlanAbandonedAfterASnapshotConvergesBySlices() {
    Script script = atSnapshot().refused(1, 1, 1, "damaged").refused(1, 1, 2, "damaged");
    assertThat(script.steps())
        .endsWith(
            "1: halt: node 1 could not restore: damaged; no whole snapshot before it can be"
                + " restored");
    assertThat(script.operator(1, Intervention.ABANDON).steps())
        .containsExactly("1: abandon 1", "1: keep all 3 to 200");
  }

  @Test
  void tooManyKeysForOneExchangeTakeRoundsBeforeTheCutIsChecked() {
    Script script = atSnapshot().restored(1, 0, 1).restored(1, 1, 1);
    script.convergedUpTo(1, 0, 1, "s").convergedUpTo(1, 1, 1, "s");
    assertThat(script.steps()).endsWith("1: converge 1", "1: restore 2 to 400 by near from s");
    script.restored(1, 0, 2).restored(1, 1, 2).convergedAt(1, 0, 2, 900).convergedAt(1, 1, 2, 800);
    assertThat(script.steps()).contains("1: converge 2", "1: resume from 400 after 900");
  }

  @Test
  void roundsBeforeADecisionCountAsEarlierAttempts() {
    Script script = atSnapshot().restored(1, 0, 1).restored(1, 1, 1);
    script.convergedUpTo(1, 0, 1, "s").convergedUpTo(1, 1, 1, "s");
    script.refused(1, 0, 2, "gone").refused(1, 0, 3, "gone too");
    assertThat(script.steps()).last().asString().startsWith("1: halt: ");
    script.holdLog().log(script.record(1).setRetry(Retry.newBuilder().setHalt(1)));
    assertThat(script.state().log().plan())
        .matches(plan -> plan.attempt() == 3 && plan.attemptsOfThisTry() == 0);
  }

  @Test
  void steppingBackBeyondTheReachGoesToASnapshot() {
    Script script =
        Script.of(1, SNAPSHOT).snapshot("old", 1, 200, 1).violation("v1", "p", 100, 500);
    script.paused(1, 0, 499).judged(600).restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps()).contains("1: restore 1 to 500-", "1: restore 2 to 499");
    script.restored(1, 0, 2).converged(1, 0, 2, "p", 0, 1);
    assertThat(script.steps()).containsExactly("1: converge 2", "1: restore 3 to 200 by old");
  }

  @Test
  void anUndoThatIsTooLargeGoesToASnapshot() {
    Script script =
        Script.of(1, SNAPSHOT).snapshot("old", 1, 200, 1).violation("v1", "p", 100, 500);
    script.paused(1, 0, 0).judged(600).steps();
    assertThat(script.tooLarge(1, 0, 1).steps()).containsExactly("1: restore 2 to 200 by old");
  }

  @Test
  void aSnapshotInADiscardedSpanIsSkipped() {
    Script script =
        Script.of(1, SNAPSHOT)
            .snapshot("good", 1, 200, 1)
            .violation("v1", "p", 100, 500)
            .judged(600)
            .pausedAt(1, 0, 800);
    script.restored(1, 0, 1).convergedAt(1, 0, 1, 900).snapshot("bad", 2, 700, 1).steps();
    script.violation("v2", "p", 950, 950, 1, ViolationGrade.POSSIBLE).judged(960);
    script.paused(2, 0, 960);
    assertThat(script.steps()).endsWith("2: restore 1 to 200 by good");
  }

  @Test
  void anOrchestratorThatIsKilledDecidesTheSame() {
    Script script =
        Script.of(1, SNAPSHOT).snapshot("near", 1, 400, 1).violation("v1", "p", 100, 500);
    script.paused(1, 0, 550).holdLog().judged(600).loseHeld().steps();
    assertThat(script.restart().steps()).containsExactly("1: restore 1 to 400 by near");
    assertThat(script.restart().steps()).isEmpty();
    assertThat(script.state().log().plan())
        .extracting(plan -> plan.halts().fallback().snapshot())
        .isEqualTo(new SnapshotCut("near", 1, 400L << 12));
  }

  @Test
  void anOperatorsOwnPlanDoesNotGoElsewhere() {
    Script script =
        Script.of(1, SNAPSHOT).snapshot("near", 1, 400, 1).judged(2_000_000).wish(wish(500));
    script.paused(1, 0, 550);
    assertThat(script.steps())
        .last()
        .asString()
        .startsWith("1: halt: target " + iso(500) + " is out of");
  }

  @Test
  void aRestartKeepsAllDataAndMakesProgramsRestart() {
    Script script = restarted(Script.of(1, RESTART).violation("v1", "p", 100, 500));
    assertThat(script.steps())
        .containsExactly(
            "1: open [v1] to 500-",
            "1: pause",
            "1: keep all 1 to 500- restart",
            "1: converge 1",
            "1: resume from 500- after 900 restart");
    assertThat(script.alerts()).extracting(Alert::kind).endsWith(Alert.Kind.PLAN_RESTARTED);
    script.violation("again", "p", 100, 450);
    assertThat(script.outcomes()).last().isEqualTo(Command.Outcome.RESTARTED);
    assertThat(script.judged(950).pass(100_000).steps())
        .as("no acknowledgement is needed")
        .containsExactly("1: safe 950");
  }

  @Test
  void aClauseThatHoldsSoonAfterARestartStandsInsteadOfAnotherRestart() {
    Script script = restarted(Script.of(1, RESTART).violation("v1", "p", 100, 500));
    script.pass(60_000_000).steps();
    script.violation("v2", "p", 901, 901, 1, ViolationGrade.POSSIBLE).judged(950).paused(2, 0, 0);
    script.restored(2, 0, 1).converged(2, 0, 1, "p", 0, 1);
    assertThat(script.steps()).endsWith("2: restore 2 to 900");
    script.restored(2, 0, 2).converged(2, 0, 2, "p", 0, 1);
    assertThat(script.steps())
        .containsSubsequence("1: stand p from 900 to 900", "2: resume from 900");
  }

  @Test
  void aSecondRestartMuchLaterIsOne() {
    Script script = restarted(Script.of(1, RESTART).violation("v1", "p", 100, 500));
    script.pass(600_000_000).steps();
    script.violation("v2", "p", 950, 950, 1, ViolationGrade.POSSIBLE).paused(2, 0, 960);
    assertThat(script.steps()).endsWith("2: keep all 1 to 950- restart");
  }

  /** Programs have no time during the plan. */
  @Test
  void aRestartCountsFromItsEnd() {
    Script script = Script.of(1, RESTART).violation("v1", "p", 100, 500).pass(600_000_000);
    script.paused(1, 0, 550).restored(1, 0, 1).convergedAt(1, 0, 1, 600_000_900L).steps();
    script.violation("v2", "p", 600_001_000, 600_001_000, 1, ViolationGrade.POSSIBLE);
    script.paused(2, 0, 600_001_010);
    assertThat(script.steps())
        .last()
        .asString()
        .startsWith("2: halt:")
        .contains("programs were restarted in epoch 1");
  }

  @Test
  void aRestartOfTooManyKeysIsBySlices() {
    Script script = Script.of(1, RESTART).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 499).restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    script.restored(1, 0, 2).converged(1, 0, 2, "p", 0, 1);
    assertThat(script.steps())
        .as("all nodes reach the cut, so they can name what changed since")
        .endsWith("1: restore 2 to 499", "1: converge 2", "1: keep 3 to 499 restart");
    assertThat(script.tooLarge(1, 0, 3).steps()).containsExactly("1: keep all 4 to 499 restart");
    script.restored(1, 0, 4).convergedAt(1, 0, 4, 900);
    assertThat(script.steps()).contains("1: resume from 499 after 900 restart");
  }

  @Test
  void aRestartThatWasDecidedBeforeAnAbandonChangesNothing() {
    Script script = Script.of(1, Policies.beforeViolation("p")).violation("v1", "p", 100, 500);
    script.paused(1, 0, 550).holdLog();
    script.log(script.record(1).setAbandon(Abandon.newBuilder().setHalt(1)));
    long target = Objects.requireNonNull(script.state().log().plan()).target();
    script.log(
        script
            .record(1)
            .setRestore(
                Restore.newBuilder()
                    .setAttempt(1)
                    .setTarget(target)
                    .setKeep(true)
                    .setRestart(true)));
    assertThat(script.releaseLog().steps())
        .as("a record that does not count answers no step, so ours is written once")
        .hasSize(4)
        .endsWith("1: keep all 1 to 500-");
    assertThat(script.state().log().plan()).matches(Plan::isAbandoned);
    assertThat(script.state().log().plan()).matches(plan -> !plan.isRestarted());
  }

  /** The record that keeps the data counts, so it is written once. */
  @Test
  void aRestartThatHaltedIsAbandonedLikeAnyOther() {
    Script script = Script.of(1, RESTART).violation("v1", "p", 100, 500).paused(1, 0, 550);
    assertThat(script.refused(1, 0, 1, "damaged").steps())
        .last()
        .isEqualTo("1: halt: node 0 could not restore: damaged");
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: keep all 2 to 500- restart");
    script.refused(1, 0, 2, "damaged").steps();
    assertThat(script.restart().operator(1, Intervention.ABANDON).steps())
        .containsExactly("1: abandon 2", "1: keep all 3 to 500-");
    script.restored(1, 0, 3).convergedAt(1, 0, 3, 900);
    assertThat(script.steps()).contains("1: resume from 500- after 900");
    assertThat(script.state().log().plans().pastPlan(1))
        .matches(plan -> plan.abandoned() && !plan.restarted());
  }

  /** The retry stays a restart although all nodes reach the cut. */
  @Test
  void aRestartThatHaltedIsTriedAgainAsARestart() {
    Script script = Script.of(1, RESTART).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 499).restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    script.restored(1, 0, 2).converged(1, 0, 2, "p", 0, 1).refused(1, 0, 3, "damaged");
    assertThat(script.steps())
        .endsWith("1: keep 3 to 499 restart", "1: halt: node 0 could not restore: damaged");
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: keep 4 to 499 restart");
    script.restored(1, 0, 4).convergedAt(1, 0, 4, 900);
    assertThat(script.steps()).contains("1: resume from 499 after 900 restart");
  }

  @Test
  void aRestartIsTriedAgainThoughItsPredicateNamesNoWayAnyMore() {
    Script script = Script.of(1, RESTART).violation("v1", "p", 100, 500).paused(1, 0, 550);
    script.refused(1, 0, 1, "damaged").policy(Policies.beforeViolation("p")).steps();
    assertThat(script.refusal(1, Intervention.RETRY)).isEmpty();
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: keep all 2 to 500- restart");
  }

  @Test
  void predicatesWithDifferentFallbacksHaltThePlan() {
    Script script =
        Script.of(1, SNAPSHOT, Policies.whenUnreachable("q", OnUnreachable.RESTART))
            .snapshot("near", 1, 400, 1)
            .violation("v1", "p", 100, 500)
            .violation("v2", "q", 100, 510);
    script.paused(1, 0, 550).judged(600);
    assertThat(script.steps())
        .last()
        .asString()
        .startsWith("1: halt: target " + iso(499) + ".4095 is out of");
  }

  @Test
  void predicatesWithEqualFallbacksUseIt() {
    Script script =
        Script.of(1, SNAPSHOT, Policies.whenUnreachable("q", OnUnreachable.NEAREST_SNAPSHOT))
            .snapshot("near", 1, 400, 1)
            .violation("v1", "p", 100, 500)
            .violation("v2", "q", 100, 510);
    script.paused(1, 0, 550).judged(600);
    assertThat(script.steps()).endsWith("1: restore 1 to 400 by near");
  }

  @Test
  void aHaltedPlanIsTriedAgainWhenThePolicyNamesAWayByThen() {
    Script script =
        Script.of(1, Policies.beforeViolation("p"))
            .snapshot("near", 1, 400, 1)
            .violation("v1", "p", 100, 500);
    script.paused(1, 0, 550).judged(600).steps();
    assertThat(script.refusal(1, Intervention.RETRY)).contains("it can only be abandoned");
    script.policy(SNAPSHOT);
    assertThat(script.refusal(1, Intervention.RETRY)).isEmpty();
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: restore 1 to 400 by near");
  }

  private static Script restarted(Script script) {
    return script.paused(1, 0, 550).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
  }

  /** Two nodes in a plan to the newer of two snapshots. */
  private static Script atSnapshot() {
    Script script =
        Script.of(2, SNAPSHOT)
            .snapshot("old", 1, 200, 2)
            .snapshot("near", 2, 400, 2)
            .violation("v1", "p", 100, 500)
            .judged(600)
            .paused(1, 0, 550)
            .paused(1, 1, 0);
    assertThat(script.steps()).endsWith("1: restore 1 to 400 by near");
    return script;
  }

  private static RollbackRequest wish(long micros) {
    return RollbackRequest.to("by-hand", micros << 12);
  }
}

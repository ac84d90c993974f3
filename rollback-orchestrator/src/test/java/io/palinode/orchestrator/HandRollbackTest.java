package io.palinode.orchestrator;

import static io.palinode.orchestrator.StepText.iso;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.wire.v1.ViolationGrade;
import org.junit.jupiter.api.Test;

/** Rollbacks that an operator asks for, cancels and undoes. Times are microseconds. */
class HandRollbackTest {
  private static final Policy P = Policies.beforeViolation("p");

  @Test
  void itTakesTheSameStepsAsAnyOtherAlsoToBeforeTheSafePoint() {
    Script script = Script.of(2, P).judged(600).wish(to(300));
    assertThat(script.steps()).containsExactly("0: safe 600", "1: open [] to 300", "1: pause");
    script.pausedAt(1, 0, 650).pausedAt(1, 1, 700);
    assertThat(script.steps()).containsExactly("1: restore 1 to 300");
    script.restored(1, 0, 1).restored(1, 1, 1);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 950);
    assertThat(script.steps()).containsExactly("1: converge 1", "1: resume from 300 after 950");
    assertThat(script.state().safePoint()).as("it never moves back").isEqualTo(hlc(600));
    assertThat(script.judged(1_000).pass(60_000).steps()).containsExactly("1: safe 1000");
  }

  @Test
  void itContinuesIfTheOrchestratorCrashesBeforeItsFirstStep() {
    Script script = Script.of(1, P).judged(600).holdLog().wish(to(300)).releaseLog();
    assertThat(script.restart().pausedAt(1, 0, 700).steps()).endsWith("1: restore 1 to 300");
    assertThat(script.restart().restored(1, 0, 1).convergedAt(1, 0, 1, 900).steps())
        .endsWith("1: converge 1", "1: resume from 300 after 900");
  }

  @Test
  void oneIsUnderWayAtATime() {
    Script script = Script.of(1, P).wish(to(300));
    assertThat(script.refusal(to(200))).isEqualTo("rollback 1 is under way: one at a time");
    script.steps();
    assertThat(script.wish(to(200)).steps()).isEmpty();
  }

  @Test
  void aTimeInTheFutureIsRefused() {
    assertThat(Script.of(1, P).refusal(to(1_000_001)))
        .contains("is in the future: it is " + iso(1_000_000));
  }

  @Test
  void aTimeThatAnEarlierOneDiscardedIsRefusedWithThoseThatAreNot() {
    Script script = done(300, 700);
    assertThat(script.refusal(to(500)))
        .isEqualTo(
            "rollback 1 discarded what was at %s: choose a time up to %s, or after %s"
                .formatted(iso(500), iso(300), iso(900)));
    assertThat(script.refusal(to(300))).isEmpty();
    assertThat(script.refusal(to(100))).isEmpty();
    assertThat(script.refusal(to(900))).isEmpty();
  }

  @Test
  void anAbandonedTimeIsNoTarget() {
    Script script = Script.of(1, P).wish(to(300)).paused(1, 0, 500);
    script.operator(1, Intervention.ABANDON).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.refusal(to(600))).contains("rollback 1 was abandoned");
  }

  @Test
  void aViolationBeforeTheTargetMovesItBackAndOneAfterItIsCovered() {
    Script script = Script.of(1, P).wish(to(500));
    script.violation("v1", "p", 100, 400).violation("v2", "p", 100, 600).judged(700);
    script.pausedAt(1, 0, 700);
    assertThat(script.steps()).endsWith("1: restore 1 to 400-");
    script.restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.state().log().plan()).isNull();
    assertThat(script.state().found().demands()).isEmpty();
  }

  @Test
  void aClauseThatHoldsAtTheTargetMovesItFurtherBackEvenBeforeTheSafePoint() {
    Script script = Script.of(1, P).judged(600_000).wish(to(500_000)).pausedAt(1, 0, 700_000);
    script.restored(1, 0, 1).convergedSince(1, 0, 1, "p", 300_000, 400_000);
    assertThat(script.steps()).endsWith("1: converge 1", "1: restore 2 to 400000-");
    assertThat(script.control().get(script.control().size() - 1).getRestore().getReason())
        .isEqualTo("predicate=p clause=0 binding= still holds at " + iso(500_000));
  }

  @Test
  void aClauseThatHoldsSinceAnUnknownTimeHaltsIt() {
    Script script = Script.of(1, P).judged(600_000).wish(to(500_000)).pausedAt(1, 0, 700_000);
    script.restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps())
        .endsWith(
            "1: halt: predicate=p clause=0 binding= still holds at "
                + iso(500_000)
                + ","
                + " and no node knows since when");
  }

  @Test
  void beforeTheFirstRestoreItCanBeCancelledAndAllThatWasWrittenStands() {
    Script script = Script.of(2, P).judged(600).wish(to(300)).pausedAt(1, 0, 700);
    assertThat(script.cancel(1).steps()).endsWith("1: pause", "1: cancel");
    assertThat(script.pausedAt(1, 1, 650).steps())
        .as("the standing writes are to be judged")
        .isEmpty();
    assertThat(script.judged(700).steps()).containsExactly("1: keep 1 to 700");
    script.restored(1, 0, 1).restored(1, 1, 1);
    script.convergedAt(1, 0, 1, 900).convergedAt(1, 1, 1, 950);
    assertThat(script.steps()).containsExactly("1: converge 1", "1: resume from 700 after 950");
    assertThat(script.refusal(to(500))).as("nothing was discarded").isEmpty();
    assertThat(script.refusal(RollbackRequest.undoing("u", 1))).contains("it discarded no write");
  }

  /** The pause may have cut off a copy of an accepted write. */
  @Test
  void oneThatIsCancelledKeepsBySlicesWhenANodeHasLostItsPastSinceThePause() {
    Script script = Script.of(2, P).judged(600).wish(to(300)).pausedAt(1, 0, 700).cancel(1);
    // Its node restarted at 720 and was paused before it acknowledged that.
    script.pausedAt(1, 0, 730).joined(0, 720).pausedAt(1, 1, 650).judged(730);
    assertThat(script.steps()).endsWith("1: keep all 1 to 730");
  }

  @Test
  void aCancelInTheLogStandsThroughACrash() {
    Script script = Script.of(1, P).wish(to(300)).cancel(1).restart().judged(800);
    assertThat(script.pausedAt(1, 0, 700).steps()).endsWith("1: keep 1 to 700");
  }

  @Test
  void aHaltedOneThatRestoredNothingCanBeCancelled() {
    Script script = Script.of(1, P).wish(to(300)).judged(800).paused(1, 0, 500);
    assertThat(script.steps())
        .last()
        .asString()
        .startsWith("1: halt: target " + iso(300) + " is out of");
    assertThat(script.cancel(1).steps()).startsWith("1: cancel").last().asString().contains("keep");
  }

  @Test
  void afterItsFirstRestoreItCannotBeCancelled() {
    Script script = Script.of(1, P).judged(600).wish(to(300)).holdLog().pausedAt(1, 0, 700);
    assertThat(script.cancelRefusal(1)).isEmpty();
    assertThat(script.cancel(1).releaseLog().steps()).doesNotContain("1: cancel");
    assertThat(script.cancelRefusal(1))
        .startsWith("rollback 1 is past its commit point: Restore(1) is in the control log");
    script.restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.cancelRefusal(1)).startsWith("rollback 1 has ended");
    assertThat(script.cancelRefusal(2)).isEqualTo("there is no rollback 2");
  }

  @Test
  void oneThatViolationsAskForIsNotCancelled() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500);
    assertThat(script.cancelRefusal(1)).startsWith("rollback 1 was opened by violations");
  }

  @Test
  void violationsThatACancelledOneWouldHaveCoveredOpenTheNext() {
    Script script = Script.of(1, P).wish(to(300)).cancel(1).violation("v1", "p", 100, 500);
    script.judged(800).pausedAt(1, 0, 700).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.steps())
        .endsWith("1: resume from 700 after 900", "2: open [v1] to 500-", "2: pause");
  }

  @Test
  void anUndoGoesToTheCutRightBeforeIt() {
    Script script = done(300, 700).judged(1_300).wish(RollbackRequest.undoing("u", 1));
    assertThat(script.steps()).endsWith("2: open [] to 700", "2: pause");
    script.pausedAt(2, 0, 1_200).restoredFrom(2, 0, 1, 1_300).convergedAt(2, 0, 1, 1_500);
    assertThat(script.steps())
        .containsExactly("2: restore 1 to 700", "2: converge 1", "2: resume from 700 after 1500");
    assertThat(script.refusal(RollbackRequest.undoing("u", 1))).contains("are already reinstated");
    assertThat(script.refusal(to(500))).as("no plan has discarded it").isEmpty();
    assertThat(script.refusal(to(800))).as("nodes were at different times").contains("rollback 2");
    assertThat(script.refusal(RollbackRequest.undoing("u", 2)))
        .as("an undo can be undone")
        .isEmpty();
  }

  @Test
  void violationsOfAnUndoneRollbackAreNotRolledBackAgain() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(600);
    script.pausedAt(1, 0, 700).restoredFrom(1, 0, 1, 800).convergedAt(1, 0, 1, 900);
    script.judged(1_300).wish(RollbackRequest.undoing("u", 1));
    script.pausedAt(2, 0, 1_200).restoredFrom(2, 0, 1, 1_300).convergedAt(2, 0, 1, 1_500);
    assertThat(script.restart().state().log().plan()).isNull();
    assertThat(script.outcomes()).last().isEqualTo(Command.Outcome.COVERED);
  }

  @Test
  void aReinstateThatBringsBackAViolationIsRolledBack() {
    Script script = done(300, 700).wish(RollbackRequest.undoing("u", 1)).judged(2_000);
    script.pausedAt(2, 0, 1_200).restoredFrom(2, 0, 1, 1_300).converged(2, 0, 1, "p", 0, 1);
    assertThat(script.steps()).endsWith("2: converge 1", "2: restore 2 to 1200");
    script.restoredFrom(2, 0, 2, 1_400).convergedAt(2, 0, 2, 1_500);
    assertThat(script.steps()).contains("2: resume from 1200 after 1500");
    assertThat(script.refusal(RollbackRequest.undoing("u", 1)))
        .as("it is still discarded")
        .isEmpty();
  }

  /** The first attempt does not cover it. */
  @Test
  void aViolationFoundDuringAReinstateThatIsRolledBackOpensTheNext() {
    Script script = done(300, 700).judged(2_000).wish(RollbackRequest.undoing("u", 1));
    script.pausedAt(2, 0, 1_200);
    script.violation("v", "p", 950, 1_000, 1, ViolationGrade.POSSIBLE);
    script.restoredFrom(2, 0, 1, 1_300).converged(2, 0, 1, "p", 0, 1);
    script.restoredFrom(2, 0, 2, 1_400).convergedAt(2, 0, 2, 1_500);
    assertThat(script.steps())
        .endsWith("2: resume from 1200 after 1500", "3: open [v] to 1000-", "3: pause");
  }

  @Test
  void aReinstateWaitsUntilAllWritesAreJudgedAsTheyMayStand() {
    Script script = done(300, 700).judged(1_000).wish(RollbackRequest.undoing("u", 1));
    assertThat(script.pausedAt(2, 0, 1_200).steps()).endsWith("2: open [] to 700", "2: pause");
    assertThat(script.judged(1_200).steps()).containsExactly("2: restore 1 to 700");
  }

  @Test
  void withoutOneCutBeforeItThereIsNoUndo() {
    Script script = Script.of(1, P).judged(600).wish(to(300)).pausedAt(1, 0, 700);
    script.restoredFrom(1, 0, 1, 699).convergedAt(1, 0, 1, 900);
    assertThat(script.refusal(RollbackRequest.undoing("u", 1)))
        .startsWith("rollback 1 cannot be undone");
    assertThat(script.refusal(RollbackRequest.undoing("u", 7)))
        .isEqualTo("there is no rollback 7 that has ended");
  }

  private static RollbackRequest to(long micros) {
    return RollbackRequest.to("request", hlc(micros));
  }

  private static long hlc(long micros) {
    return Hlc.ofMicros(micros);
  }

  /** One node went back to {@code target}, from what it had at {@code quiet}; its clock was 900. */
  private static Script done(long target, long quiet) {
    return Script.of(1, P)
        .judged(600)
        .wish(to(target))
        .pausedAt(1, 0, quiet)
        .restoredFrom(1, 0, 1, quiet)
        .convergedAt(1, 0, 1, 900);
  }
}

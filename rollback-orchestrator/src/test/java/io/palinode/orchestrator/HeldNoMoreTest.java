package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.Gates;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.HeldNoMore;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.ViolationGrade;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An instance violated before it was watched is watched again once a later cut shows that it no
 * longer holds (ADR 0021). Times are seconds.
 */
class HeldNoMoreTest {
  private static final long APPLIED = 100;
  private static final Policy P = applied("p");
  private static final Policy Q = applied("q");

  @Test
  void anInstanceThatDoesNotHoldOnALaterCutIsWatchedAgain() {
    Script script = stood("b=1", "b=2");
    rollBack(script, 1, 200, "b=2");
    assertThat(script.steps())
        .contains("0: no more p[b=1]")
        .anyMatch(step -> step.startsWith("1: resume"));
    assertThat(holds(script, "b=1", 200)).isFalse();
    assertThat(holds(script, "b=2", 200)).isTrue();

    rollBack(script, 2, 300, "b=1");
    assertThat(script.steps()).last().asString().startsWith("2: restore 2");
  }

  @Test
  void aSuccessorKnowsItAndPublishesItOnce() {
    Script script = stood("b=1");
    rollBack(script, 1, 200, "");
    assertThat(script.steps()).containsOnlyOnce("0: no more p[b=1]");
    assertThat(script.restart().steps()).noneMatch(step -> step.contains("no more"));
    assertThat(holds(script, "b=1", 200)).isFalse();
  }

  /** Else the plan would step back to the reach and halt. */
  @Test
  void aCutBeforeThatOneMayHoldItAndThenItStandsUntilALaterCutDoesNot() {
    Script script = stood("b=1");
    rollBack(script, 1, 200, "");
    script.wish(RollbackRequest.to("r", hlc(150)));
    paused(script, 2, hlc(250)).restart().restored(2, 0, 1);
    converged(script, 2, "b=1");
    assertThat(script.steps())
        .contains("2: restore 1 to 150000000", "2: resume from 150000000 after 250000000")
        .noneMatch(step -> step.startsWith("2: restore 2"));

    script.violation("p", "b=1", 250_000_000, 2, List.of("x"));
    assertThat(script.outcomes()).as("found in its first state").endsWith(Command.Outcome.STANDS);
    rollBack(script.restart(), 3, 300, "b=1");
    assertThat(script.steps()).anyMatch(step -> step.startsWith("3: resume"));
    rollBack(script, 4, 350, "");
    assertThat(script.steps()).contains("3: no more p[b=1]");
    long before = standing(script);
    assertThat(standing(script.restart())).as("of what is replayed").isEqualTo(before + 1);
    rollBack(script, 5, 380, "b=1");
    assertThat(script.steps()).last().asString().startsWith("5: restore 2");
  }

  @Test
  void aCutBeforeThatOneThatDoesNotHoldItEither() {
    Script script = stood("b=1");
    rollBack(script, 1, 200, "");
    script.wish(RollbackRequest.to("r", hlc(150)));
    paused(script, 2, hlc(250)).restored(2, 0, 1);
    converged(script, 2, "");
    assertThat(script.steps())
        .containsSubsequence("1: no more p[b=1]", "2: resume from 150000000 after 250000000");
    assertThat(holds(script, "b=1", 149)).isTrue();
    assertThat(holds(script, "b=1", 150)).isFalse();
    rollBack(script, 3, 300, "b=1");
    assertThat(script.steps()).last().asString().startsWith("3: restore 2");
  }

  @Test
  void ofTooManyToNameACutBeforeThatOneMayHoldAny() {
    Script script = stood();
    rollBack(script, 1, 200, "");
    assertThat(holds(script, "b=7", 199)).isTrue();
    assertThat(holds(script, "b=7", 200)).isFalse();
  }

  /** A standing write after the target may have ended it. */
  @Test
  void whereOnlySomeWasUndoneTheCutAtTheTargetMayHoldIt() {
    Script script = stood("b=1").policy(Policies.affected("q"));
    Moment began = Moment.newBuilder().setHlc(hlc(200)).build();
    script.violation(AffectedRollbackTest.found("v", "q", 0, began));
    script.log(
        script
            .record(1)
            .setPaused(Paused.newBuilder().setQuietSince(hlc(201)).setAccessesSince(hlc(APPLIED))));
    script.judged(201_000_000).restored(1, 0, 1);
    converged(script, 1, "");
    assertThat(script.steps()).contains("1: restore 1 to 200000000- of 1", "0: no more p[b=1]");
    Gates gates = script.state().log().gates();
    assertThat(gates.holds("p", "b=1", hlc(200) - 1)).isTrue();
    assertThat(gates.holds("p", "b=1", hlc(200))).isFalse();
  }

  @Test
  void inOldLogsItIsOverOnEveryCut() {
    Script script = stood("b=1", "b=2");
    ended(script, 0, "b=1");
    assertThat(holds(script, "b=1", APPLIED)).isFalse();
    assertThat(holds(script, "b=2", 300)).isTrue();
  }

  @Test
  void aLateRecordEndsNoLaterStandingInstance() {
    Script script = stood("b=1");
    ended(script, hlc(APPLIED), "b=1");
    assertThat(holds(script, "b=1", 300)).isTrue();
    ended(script, hlc(200), "b=1");
    assertThat(holds(script, "b=1", 300)).isFalse();
  }

  @Test
  void anOrchestratorThatCrashesBeforeItsRecordIsWrittenDecidesAgain() {
    Script script = stood("b=1");
    restored(script, 1, 200);
    script.holdLog();
    converged(script, 1, "");
    script.loseHeld().steps();
    assertThat(script.restart().steps())
        .contains("0: no more p[b=1]")
        .anyMatch(step -> step.startsWith("1: resume"));
  }

  @Test
  void anInstanceThatStillHoldsStands() {
    Script script = stood("b=1");
    rollBack(script, 1, 200, "b=1");
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: resume"));
    assertThat(holds(script, "b=1", 400)).isTrue();
  }

  @Test
  void ofTooManyToNameAllHaveToBeOver() {
    Script script = stood();
    rollBack(script, 1, 200, "b=7");
    assertThat(holds(script, "b=1", 400)).isTrue();
    rollBack(script, 2, 300, "");
    assertThat(script.steps()).contains("1: no more p[]");
    assertThat(holds(script, "b=1", 400)).isFalse();
  }

  @Test
  void aCutBeforeTheOneOnWhichItStoodShowsNothing() {
    Script script = stood("b=1").wish(RollbackRequest.to("r", hlc(99)));
    paused(script, 1, hlc(250)).restored(1, 0, 1);
    converged(script, 1, "");
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: resume"));
    assertThat(holds(script, "b=1", 400)).isTrue();
  }

  @Test
  void whileNodesMayNotWatchTheNewestVersionYetACutShowsNothing() {
    Script script = stood("b=1").policy(P.appliedAt(195_000_000));
    rollBack(script, 1, 200, "");
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: resume"));
    assertThat(holds(script, "b=1", 400)).isTrue();
  }

  @Test
  void aPredicateThatAsksForNothingNowShowsNothing() {
    Script script = stood("b=1").policy(Policy.deleted("p", 2));
    rollBack(script, 1, 200, "");
    assertThat(holds(script, "b=1", 400)).isTrue();
  }

  private static Policy applied(String predicate) {
    return Policies.beforeViolation(predicate).appliedAt(APPLIED * 1_000_000);
  }

  /** It stands since the predicate was applied. */
  private static Script stood(String... bindings) {
    Script script = Script.of(1, P, Q).pass(400_000_000).judged(APPLIED * 1_000_000);
    LetStand.Builder stands =
        LetStand.newBuilder()
            .setPredicate("p")
            .setFromHlc(hlc(APPLIED))
            .setToHlc(hlc(APPLIED))
            .setHeld(true)
            .addAllBindings(List.of(bindings));
    script.log(script.record(0).setGate(GateStep.newBuilder().setLetStand(stands)));
    script.steps();
    return script;
  }

  /** For another predicate; of this one, {@code binding} holds on the cut. Empty: nothing does. */
  private static void rollBack(Script script, long epoch, long violateSeconds, String binding) {
    restored(script, epoch, violateSeconds);
    converged(script, epoch, binding);
  }

  private static void restored(Script script, long epoch, long violateSeconds) {
    long violate = violateSeconds * 1_000_000;
    script.violation("v" + epoch, "q", violate, violate, epoch - 1, ViolationGrade.DEFINITE);
    paused(script, epoch, Hlc.ofMicros(violate + 1_000)).restored(epoch, 0, 1);
  }

  /** And all up to then is judged. */
  private static Script paused(Script script, long epoch, long quiet) {
    script.log(script.record(epoch).setPaused(Paused.newBuilder().setQuietSince(quiet)));
    return script.judged(Hlc.micros(quiet));
  }

  private static void ended(Script script, long before, String binding) {
    HeldNoMore ended =
        HeldNoMore.newBuilder().setPredicate("p").addBindings(binding).setBefore(before).build();
    script.log(script.record(0).setGate(GateStep.newBuilder().setHeldNoMore(ended)));
  }

  private static long standing(Script script) {
    return script.outcomes().stream().filter(Command.Outcome.STANDS::equals).count();
  }

  private static boolean holds(Script script, String binding, long seconds) {
    return script.state().log().gates().holds("p", binding, hlc(seconds));
  }

  private static void converged(Script script, long epoch, String binding) {
    Converged.Builder converged = Converged.newBuilder().setAttempt(1).setLast(true);
    if (!binding.isEmpty()) {
      converged.addHolding(term(binding, 0)).addHolding(term(binding, 1));
    }
    ControlRecord.Builder record = script.record(epoch).setConverged(converged);
    script.log(record);
  }

  private static IntervalRef term(String binding, int term) {
    return IntervalRef.newBuilder()
        .setPredicate("p")
        .setPredicateVersion(1)
        .setBinding(binding)
        .setTerm(term)
        .build();
  }

  private static long hlc(long seconds) {
    return Hlc.ofMicros(seconds * 1_000_000);
  }
}

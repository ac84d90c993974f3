package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.ViolationGrade;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What was violated before anyone watched is watched like any other once a later cut shows that it
 * does not hold any more (ADR 0025). Times are seconds.
 */
class HeldNoMoreTest {
  private static final long APPLIED = 100;
  private static final Policy P = applied("p");
  private static final Policy Q = applied("q");

  @Test
  void whatDoesNotHoldOnALaterCutIsWatchedAgain() {
    Script script = stood("b=1", "b=2");
    rollBack(script, 1, 200, "b=2");
    assertThat(script.steps())
        .contains("0: no more p[b=1]")
        .anyMatch(step -> step.startsWith("1: resume"));
    assertThat(script.state().journal().gates().holds("p", "b=1")).isFalse();
    assertThat(script.state().journal().gates().holds("p", "b=2")).isTrue();

    rollBack(script, 2, 300, "b=1");
    assertThat(script.steps()).last().asString().startsWith("2: restore 2");
  }

  @Test
  void whoTakesOverKnowsItAndTellsItNotAgain() {
    Script script = stood("b=1");
    rollBack(script, 1, 200, "");
    assertThat(script.steps()).containsOnlyOnce("0: no more p[b=1]");
    assertThat(script.restart().steps()).noneMatch(step -> step.contains("no more"));
    assertThat(script.state().journal().gates().standing()).isEmpty();
  }

  @Test
  void oneThatDiesBeforeItsRecordIsInTheLogDecidesItAgain() {
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
  void whatStillHoldsStands() {
    Script script = stood("b=1");
    rollBack(script, 1, 200, "b=1");
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: resume"));
    assertThat(script.state().journal().gates().holds("p", "b=1")).isTrue();
  }

  @Test
  void ofTooManyToNameAllHaveToBeOver() {
    Script script = stood();
    rollBack(script, 1, 200, "b=7");
    assertThat(script.state().journal().gates().holds("p", "b=1")).isTrue();
    rollBack(script, 2, 300, "");
    assertThat(script.steps()).contains("1: no more p[]");
    assertThat(script.state().journal().gates().holds("p", "b=1")).isFalse();
  }

  @Test
  void aCutBeforeTheOneOnWhichItStoodShowsNothing() {
    Script script = stood("b=1").wish(Wish.to("r", hlc(99)));
    script.log(script.record(1).setPaused(Paused.newBuilder().setQuietSince(hlc(250))));
    script.judged(250_000_000).restored(1, 0, 1);
    converged(script, 1, "");
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: resume"));
    assertThat(script.state().journal().gates().holds("p", "b=1")).isTrue();
  }

  @Test
  void whileNodesMayNotWatchTheNewestVersionYetACutShowsNothing() {
    Script script = stood("b=1").policy(P.appliedAt(195_000_000));
    rollBack(script, 1, 200, "");
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: resume"));
    assertThat(script.state().journal().gates().holds("p", "b=1")).isTrue();
  }

  @Test
  void aPredicateThatAsksForNothingNowShowsNothing() {
    Script script = stood("b=1").policy(Policy.deleted("p", 2));
    rollBack(script, 1, 200, "");
    assertThat(script.state().journal().gates().holds("p", "b=1")).isTrue();
  }

  private static Policy applied(String predicate) {
    return Policies.beforeViolation(predicate).appliedAt(APPLIED * 1_000_000);
  }

  /** It was let stand when the predicate was applied. */
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
    script.log(
        script
            .record(epoch)
            .setPaused(Paused.newBuilder().setQuietSince(Hlc.ofMicros(violate + 1_000))));
    script.judged(violate + 1_000).restored(epoch, 0, 1);
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

package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SafePoint;
import org.junit.jupiter.api.Test;

/** Requests for approval beside another orchestrator's records. */
class LateApprovalTest extends GatesFixture {
  /** Else the safe point would wait for the rejection of an empty request. */
  @Test
  void aReplacedOrchestratorAsksTooLateForSettledViolations() {
    Script script = Script.of(1, APPROVED).holdLog();
    violation(script, "p", 500, 0);
    assertThat(script.steps()).containsExactly("0: ask 1 for p");
    anotherRollsBack(script, 400);
    script.releaseLog();
    assertThat(script.state().log().gates().requests()).isEmpty();
    assertThat(script.restart().judged(950).pass(50_000).steps()).containsExactly("1: safe 950");
    violation(script, "p", 1_000, 1);
    assertThat(script.steps()).containsExactly("1: ask 1 for p");
    assertThat(script.state().log().gates().requests()).hasSize(1);
  }

  /** No plan may discard these writes any more, so the safe point must not wait. */
  @Test
  void aRequestForViolationsBeforeAnothersSafePointDoesNotCount() {
    Script script = Script.of(1, APPROVED).holdLog();
    violation(script, "p", 500, 0);
    script.judged(900).policy(Policy.deleted("p", 2));
    anotherIsSafe(script, 800);
    assertThat(script.releaseLog().pass(50_000).steps())
        .containsExactly("0: ask 1 for p", "0: safe 900");
    assertThat(script.state().log().gates().requests()).isEmpty();
    assertThat(script.restartWith(Policy.deleted("p", 2)).pass(50_000).steps()).isEmpty();
  }

  @Test
  void aRequestThatSeemedToFailAndFollowsTheSafePointDoesNotCount() {
    Script script = Script.of(1, APPROVED).holdLog();
    violation(script, "p", 500, 0);
    script.judged(900).policy(Policy.deleted("p", 2)).failHeld().pass(50_000);
    assertThat(script.steps()).containsExactly("0: ask 1 for p", "0: safe 900");
    script.log(
        script
            .record(0)
            .setGate(
                GateStep.newBuilder()
                    .setAsked(
                        ApprovalAsked.newBuilder()
                            .setNumber(1)
                            .setPredicate("p")
                            .setViolate(Hlc.ofMicros(500))
                            .setTarget(Hlc.ofMicros(499)))));
    assertThat(script.judged(950).pass(50_000).steps()).containsExactly("0: safe 950");
  }

  /** An orchestrator that has not read the delete would otherwise ask without end. */
  @Test
  void onlyViolationsAfterAnothersSafePointAreRequestedAgain() {
    Script script = Script.of(1, APPROVED).holdLog();
    violation(script, "p", 500, 0);
    anotherIsSafe(script, 800);
    assertThat(script.releaseLog().pass(50_000).steps()).containsExactly("0: ask 1 for p");
    assertThat(script.state().found().isSettled()).isTrue();
    script.holdLog();
    violation(script, "p", 850, 0);
    violation(script, "p", 1_000, 0);
    anotherIsSafe(script, 900);
    assertThat(script.releaseLog().steps()).containsExactly("0: ask 1 for p", "0: ask 1 for p");
    assertThat(script.state().log().gates().requests())
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.violate()).isEqualTo(Hlc.ofMicros(1_000));
              assertThat(request.target()).isEqualTo(Hlc.ofMicros(1_000) - 1);
            });
    assertThat(script.answer(1, true).steps()).startsWith("1: open [p@1000] to 1000-");
  }

  @Test
  void aRequestThatAnothersSafePointPassesCanOnlyBeRejected() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    anotherIsSafe(script, 800);
    assertThat(script.answerRefusal(1))
        .isEqualTo(
            "cannot approve rollback 1: the safe point has passed its violations; reject it");
    assertThat(script.answer(1, true).judged(900).pass(50_000).steps())
        .containsExactly("0: ask 1 for p");
    assertThat(script.answer(1, false).pass(50_000).steps())
        .containsExactly("0: stand p from 500 to 500", "0: safe 900");
  }

  /** Like an orchestrator that was frozen and reads violations before the control log. */
  @Test
  void aViolationThatStandsByTwoAnswersIsNotRequestedAgain() {
    Script script = Script.of(1, APPROVED).holdLog();
    violation(script, "p", 500, 0);
    violation(script, "p", 700, 0);
    anotherAsksAndIsRejected(script, 1, 500);
    anotherAsksAndIsRejected(script, 2, 700);
    assertThat(script.releaseLog().judged(900).pass(50_000).steps())
        .containsExactly("0: ask 1 for p", "0: ask 2 for p", "0: safe 900");
  }

  private static void anotherAsksAndIsRejected(Script script, long number, long micros) {
    long violate = Hlc.ofMicros(micros);
    ApprovalAsked asked =
        ApprovalAsked.newBuilder()
            .setNumber(number)
            .setPredicate("p")
            .setViolate(violate)
            .setLast(violate)
            .setTarget(violate - 1)
            .build();
    LetStand let =
        LetStand.newBuilder()
            .setPredicate("p")
            .setFromHlc(violate)
            .setToHlc(violate)
            .setRejects(number)
            .build();
    script.log(script.record(0).setGate(GateStep.newBuilder().setAsked(asked)));
    script.log(script.record(0).setGate(GateStep.newBuilder().setLetStand(let)));
  }

  private static void anotherIsSafe(Script script, long micros) {
    script.log(script.record(0).setSafePoint(SafePoint.newBuilder().setHlc(Hlc.ofMicros(micros))));
  }

  /** By hand, as another orchestrator writes it. */
  private static void anotherRollsBack(Script script, long micros) {
    long target = Hlc.ofMicros(micros);
    script.log(
        script.record(1).setPlanOpened(PlanOpened.newBuilder().setRequest("r").setTarget(target)));
    script.log(script.record(1).setPause(Pause.getDefaultInstance())).pausedAt(1, 0, 700);
    script.log(script.record(1).setRestore(Restore.newBuilder().setAttempt(1).setTarget(target)));
    script.restored(1, 0, 1);
    script.log(script.record(1).setConverge(Converge.newBuilder().setAttempt(1)));
    script.convergedAt(1, 0, 1, 900);
    script.log(
        script
            .record(1)
            .setResume(Resume.newBuilder().setTarget(target).setClock(Hlc.ofMicros(900))));
  }

  /** Later records in that log belong to the epoch that it opened. */
  @Test
  void aPlanThatAnEarlierReleaseOpenedForALateRequestCounts() {
    Script script = Script.of(1, APPROVED);
    anotherIsSafe(script, 900);
    ApprovalAsked late =
        ApprovalAsked.newBuilder()
            .setNumber(1)
            .setPredicate("p")
            .setViolate(Hlc.ofMicros(500))
            .setTarget(Hlc.ofMicros(499))
            .build();
    script.log(script.record(0).setGate(GateStep.newBuilder().setAsked(late)));
    assertThat(script.state().log().gates().requests()).isEmpty();
    script.log(
        script
            .record(1)
            .setPlanOpened(
                PlanOpened.newBuilder()
                    .setPredicate("p")
                    .setApproves(1)
                    .setTarget(Hlc.ofMicros(950))));
    assertThat(script.state().log().plan()).isNotNull();
  }
}

package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two rollbacks in ten seconds are the budget here; HLCs are the wall clock of their violation. */
class GatesTest {
  private static final long PER = 10_000_000;
  private static final Policy LIMITED =
      Policies.gated("p", new Budget(2, Duration.ofSeconds(10)), Approval.AUTOMATIC);
  private static final Policy APPROVED = Policies.gated("p", null, Approval.REQUIRED);
  private static final Policy FREE = Policies.beforeViolation("q");

  // Budget

  @Test
  void violationsOverTheBudgetAreReportedAndStandAndTheSafePointAdvances() {
    Script script = spent();
    violation(script, "p", 1_500_000, 2);
    assertThat(script.steps()).containsExactly("2: stand p from 1500000 to 11000000");
    violation(script, "p", 1_600_000, 2);
    assertThat(script.outcomes()).endsWith(Command.Outcome.OVER_BUDGET);
    assertThat(script.judged(1_700_000).pass(50_000).steps()).containsExactly("2: safe 1700000");
    assertThat(script.alerts().stream().filter(a -> a.kind() == Alert.Kind.BUDGET_SPENT))
        .hasSize(1);
    assertThat(script.alerts().stream().filter(a -> a.kind() == Alert.Kind.VIOLATION))
        .as("one of them twice: its outcome changed")
        .hasSize(5);
    assertThat(GateStatus.of(script.state()).budgets())
        .singleElement()
        .satisfies(
            account -> {
              assertThat(account.spent()).isEqualTo(2);
              assertThat(account.standsUntilMicros()).isEqualTo(11_000_000);
            });
  }

  @Test
  void whenThePeriodHasRoomAgainViolationsAreRolledBack() {
    Script script = spent();
    violation(script, "p", 1_500_000, 2);
    script.pass(PER).steps();
    violation(script, "p", 11_100_000, 2);
    assertThat(script.steps()).startsWith("3: open [p@11100000] to 11100000-");
    assertThat(GateStatus.of(script.state()).budgets().get(0).standsUntilMicros()).isZero();
  }

  @Test
  void anOperatorRenewsTheBudget() {
    Script script = spent();
    violation(script, "p", 1_500_000, 2);
    assertThat(script.renew("q").renew("p").steps()).endsWith("2: renew p");
    violation(script, "p", 1_600_000, 2);
    assertThat(script.steps()).startsWith("3: open [p@1600000] to 1600000-");
  }

  @Test
  void anotherPredicateIsNotLimitedAndCoversStandingViolations() {
    Script script = spent(LIMITED, FREE);
    violation(script, "p", 1_500_000, 2);
    script.steps();
    violation(script, "q", 1_400_000, 2);
    assertThat(script.steps()).startsWith("3: open [q@1400000] to 1400000-");
  }

  @Test
  void aStandingViolationStandsAfterARestart() {
    Script script = spent();
    violation(script, "p", 1_500_000, 2);
    assertThat(script.restart().pass(1_000).steps()).doesNotContain("3: pause");
    assertThat(script.state().log().plan()).isNull();
    assertThat(script.state().found().isSettled()).isTrue();
  }

  @Test
  void rollbacksByHandAreNotCounted() {
    Script script = Script.of(1, LIMITED);
    for (int i = 1; i <= 3; i++) {
      script.judged(1_000L * i).wish(RollbackRequest.to("w" + i, Hlc.ofMicros(900L * i)));
      script.carryOut(i);
    }
    assertThat(script.state().log().epoch()).isEqualTo(3);
    assertThat(GateStatus.of(script.state()).budgets().get(0).spent()).isZero();
  }

  // Approval

  @Test
  void aRollbackWaitsForApprovalAndHoldsTheSafePointButNoClient() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    assertThat(script.judged(600).pass(50_000).steps()).containsExactly("0: ask 1 for p");
    assertThat(script.state().log().plan()).isNull();
    assertThat(script.alerts().stream().filter(a -> a.kind() == Alert.Kind.APPROVAL_NEEDED))
        .hasSize(1);
  }

  @Test
  void anApprovedRollbackGoesBeforeAllWaitingViolations() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    violation(script, "p", 400, 0);
    assertThat(GateStatus.of(script.state()).approvals().get(0).violations()).isEqualTo(2);
    script.judged(600).steps();
    assertThat(script.answer(1, true).steps()).startsWith("1: open [p@500, p@400] to 400-");
    script.carryOut(1);
    assertThat(script.steps()).contains("1: restore 1 to 400-", "1: resume from 400-");
    assertThat(GateStatus.of(script.state()).approvals()).isEmpty();
    assertThat(script.answerRefusal(1)).isEqualTo("no rollback 1 waits for approval");
  }

  @Test
  void rejectedViolationsStandAndLaterOnesAskAgain() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.judged(600).steps();
    assertThat(script.answer(1, false).pass(50_000).steps())
        .containsExactly("0: stand p from 500 to 500", "0: safe 600");
    violation(script, "p", 700, 0);
    assertThat(script.steps()).containsExactly("0: ask 2 for p");
  }

  @Test
  void anotherPredicatesRollbackContinuesMeanwhileAndMayAnswerTheRequest() {
    Script script = Script.of(1, APPROVED, FREE);
    violation(script, "p", 500, 0);
    violation(script, "q", 550, 0);
    assertThat(script.judged(600).carryOut(1).steps())
        .contains("1: open [q@550] to 550-", "1: restore 1 to 550-");
    assertThat(GateStatus.of(script.state()).approvals()).hasSize(1);
    violation(script, "q", 450, 1);
    script.carryOut(2);
    assertThat(GateStatus.of(script.state()).approvals()).isEmpty();
    assertThat(script.state().log().gates().requests()).isEmpty();
  }

  @Test
  void aRequestWaitsAfterARestartUnderItsNumber() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.judged(600).restart();
    assertThat(script.steps()).containsExactly("0: ask 1 for p");
    assertThat(script.answer(1, true).steps()).startsWith("1: open [p@500] to 500-");
    script.restart().carryOut(1);
    assertThat(script.state().log().epoch()).isEqualTo(1);
  }

  @Test
  void whileAPlanIsOpenNothingIsApproved() {
    Script script = Script.of(1, APPROVED, FREE);
    violation(script, "p", 500, 0);
    violation(script, "q", 600, 0);
    assertThat(script.answerRefusal(1)).isEqualTo("rollback 1 is under way: one at a time");
  }

  @Test
  void aStandingViolationHaltsNoOtherRollbackAndIsNotRequestedAgain() {
    Script script = Script.of(1, APPROVED, FREE);
    violation(script, "p", 500, 0);
    script.judged(600).answer(1, false).pass(50_000).steps();
    violation(script, "q", 700, 0);
    script.judged(800).paused(1, 0, 0).restored(1, 0, 1);
    script.converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps()).contains("1: restore 1 to 700-").doesNotContain("1: restore 2");
    assertThat(script.state().log().epoch()).isEqualTo(1);
    long clock = script.state().log().plans().past().get(0).clock();
    script.violation(
        "again", "p", Hlc.micros(clock), Hlc.micros(clock), 1, ViolationGrade.POSSIBLE);
    assertThat(script.outcomes()).endsWith(Command.Outcome.STANDS);
    assertThat(GateStatus.of(script.state()).approvals()).isEmpty();
    violation(script, "p", 900, 1);
    assertThat(script.steps()).containsExactly("1: ask 2 for p");
  }

  /** Each write of a sum has its own interval, so a standing one holds on the next one's cut. */
  @Test
  void aStandingViolationDoesNotHaltTheNextRollbackOfItsInstance() {
    Script script = spent();
    script.violation("p", "", 1_500_000, 2, List.of("x")).judged(1_600_000).pass(PER).steps();
    script.violation("p", "", 11_100_000, 2, List.of("x")).judged(11_200_000).paused(3, 0, 0);
    for (int attempt = 1; script.state().log().plan() != null && attempt < 20; attempt++) {
      script.restored(3, 0, attempt).converged(3, 0, attempt, "p", 0, 1);
    }
    assertThat(script.steps())
        .endsWith("3: converge 8", "3: resume from 1600000")
        .noneMatch(step -> step.contains("halt"));
    assertThat(script.state().log().epoch()).isEqualTo(3);
  }

  @Test
  void theInstancesOfAnApprovedRollbackAreCheckedOnItsCut() {
    Script script = Script.of(1, APPROVED);
    script.violation("p", "", 500_000, 0, List.of("x")).judged(600_000).answer(1, true);
    script.paused(1, 0, 0).restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps())
        .contains("1: restore 1 to 500000-")
        .anyMatch(step -> step.startsWith("1: restore 2 to "));
  }

  @Test
  void aRequestOutlastsItsPredicateAndItsOrchestrator() {
    Script script = Script.of(1, APPROVED);
    script.violation("p", "x", 500, 0, List.of("k")).pass(1_100_000);
    script.violation("p", "y", 400, 0, List.of("l")).judged(600).pass(50_000);
    assertThat(script.steps()).containsExactly("0: ask 1 for p", "0: ask 1 for p");
    script.restartWith(Policy.deleted("p", 2)).pass(50_000);
    assertThat(script.steps()).as("the safe point still waits").isEmpty();
    assertThat(GateStatus.of(script.state()).approvals())
        .singleElement()
        .satisfies(waiting -> assertThat(waiting.violations()).isEqualTo(2));
    assertThat(script.answer(1, true).steps()).startsWith("1: open [px@500, py@400] to 400-");
    script.carryOut(1);
    assertThat(script.state().log().frequent().of(1))
        .matches(touching -> touching.isOf("p", "x") && touching.isOf("p", "y"));
  }

  /** No operator approved it, so it must not be rolled back. */
  @Test
  void aViolationThatJoinedARejectedRequestOfADeletedPredicateCausesNoRollback() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.judged(800).holdLog().answer(1, false);
    violation(script, "p", 700, 0);
    script.policy(Policy.deleted("p", 2)).releaseLog().pass(50_000);
    assertThat(script.steps())
        .containsExactly("0: ask 1 for p", "0: stand p from 500 to 500", "0: safe 800");
    assertThat(script.restartWith(Policy.deleted("p", 2)).pass(50_000).steps())
        .as("a successor does not open a plan either")
        .isEmpty();
    assertThat(script.state().log().epoch()).isZero();
  }

  @Test
  void theRestOfARejectedRequestAsksAgainThoughItsPredicateIsDeleted() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.judged(800).holdLog().answer(1, false);
    violation(script, "p", 700, 0);
    script.releaseLog().policy(Policy.deleted("p", 2)).pass(50_000);
    assertThat(script.steps())
        .as("the safe point waits for the second answer")
        .containsExactly("0: ask 1 for p", "0: stand p from 500 to 500", "0: ask 2 for p");
    assertThat(script.answer(2, false).pass(50_000).steps())
        .containsExactly("0: stand p from 700 to 700", "0: safe 800");
  }

  @Test
  void aViolationThatJoinedARequestIsRolledBackWithItAfterADelete() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    violation(script, "p", 400, 0);
    script.judged(800).policy(Policy.deleted("p", 2)).holdLog().answer(1, true);
    assertThat(script.steps()).endsWith("1: open [p@500, p@400] to 400-");
    script.releaseLog().carryOut(1);
    assertThat(script.steps()).contains("1: restore 1 to 400-", "1: resume from 400-");
  }

  /** It has not asked yet, so it must not move the target of another plan. */
  @Test
  void aDeletedPredicateThatNeedsApprovalMovesNoOtherTarget() {
    Script script = Script.of(1, APPROVED, FREE);
    violation(script, "q", 500, 0);
    violation(script, "p", 400, 0);
    script.judged(600).policy(Policy.deleted("p", 2)).carryOut(1);
    assertThat(script.steps())
        .contains("1: restore 1 to 500-", "1: resume from 500-")
        .noneMatch(step -> step.startsWith("2: open"));
    assertThat(script.state().found().isSettled()).isTrue();
  }

  /** A successor does not know the time between; it must not roll back either. */
  @Test
  void violationsBeforeADeleteCauseNoRollbackWhenThePredicateIsAppliedAgain() {
    Script script = Script.of(1, again(FREE, 1)).holdLog();
    violation(script, "q", 500, 0);
    assertThat(script.failHeld().steps()).containsExactly("1: open [q@500] to 500-");
    script.policy(Policy.deleted("q", 2)).policy(again(FREE, 3));
    assertThat(script.pass(2_000_000).steps()).isEmpty();
    assertThat(script.restartWith(again(FREE, 3)).pass(50_000).steps())
        .as("a successor does not open a plan either")
        .isEmpty();
    violation(script, "q", 550, 0);
    assertThat(script.outcomes()).endsWith(Command.Outcome.NO_ROLLBACK);
    script.violation(found(3, "q", 600));
    assertThat(script.steps()).startsWith("1: open [q@600] to 600-");
  }

  @Test
  void violationsFoundAcrossChangesOfAPredicateCount() {
    Policy changed = again(FREE, 2).rollingBackSince(1);
    Script script = Script.of(1, changed);
    violation(script, "q", 500, 0);
    assertThat(script.steps()).startsWith("1: open [q@500] to 500-");
  }

  /** The request names its violations; a violation that joined later needs an approval too. */
  @Test
  void aViolationThatJoinedARequestBeforeADeleteStillNeedsApproval() {
    Script script = Script.of(1, again(APPROVED, 1));
    violation(script, "p", 500, 0);
    script.judged(800).steps();
    violation(script, "p", 700, 0);
    Policy automatic = Policies.beforeViolation("p");
    script.policy(Policy.deleted("p", 2)).policy(again(automatic, 3)).pass(50_000);
    assertThat(script.steps()).as("it needs approval still").isEmpty();
    assertThat(script.answer(1, false).pass(50_000).steps())
        .containsExactly("0: stand p from 500 to 700", "0: safe 800");
  }

  @Test
  void aPredicateWantsRollbacksSinceItWasAppliedWithoutABreak() {
    Policy first = Policies.beforeViolation("p");
    assertThat(first.rollsBackSince(null)).isEqualTo(1);
    Policy second = again(first, 2);
    assertThat(second.rollsBackSince(first.rollingBackSince(1))).isEqualTo(1);
    assertThat(second.rollsBackSince(Policy.deleted("p", 1))).isEqualTo(2);
    assertThat(second.rollsBackSince(Policies.alertOnly("p"))).isEqualTo(2);
    assertThat(second.rollsBackSince(first)).as("unknown for an earlier release").isZero();
    assertThat(Policies.alertOnly("p").rollsBackSince(first.rollingBackSince(1))).isZero();
  }

  /** That version, the first since the predicate was deleted. */
  private static Policy again(Policy policy, long version) {
    return new Policy(policy.predicate(), version, policy.onViolation(), policy.clauses())
        .rollingBackSince(version);
  }

  private static Violation found(long version, String predicate, long at) {
    return Violation.newBuilder()
        .setId(predicate + "@" + at)
        .setPredicate(predicate)
        .setPredicateVersion(version)
        .setFirst(Hlc.ofMicros(at))
        .setViolate(Hlc.ofMicros(at))
        .setGrade(ViolationGrade.POSSIBLE)
        .build();
  }

  @Test
  void aRequestWaitsWhenItsPredicateWantsNoRollbackAnyMore() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.judged(600).policy(Policies.alertOnly("p")).pass(50_000);
    assertThat(script.steps()).containsExactly("0: ask 1 for p");
    assertThat(script.answer(1, false).pass(50_000).steps())
        .containsExactly("0: stand p from 500 to 500", "0: safe 600");
  }

  @Test
  void joiningViolationsArePublishedAtMostOnceASecond() {
    Script script = Script.of(1, APPROVED);
    for (int i = 0; i < 100; i++) {
      violation(script, "p", 500 - i, 0);
      script.pass(100_000);
    }
    assertThat(script.steps()).hasSizeBetween(8, 12);
    assertThat(script.alerts().stream().filter(a -> a.kind() == Alert.Kind.APPROVAL_NEEDED))
        .hasSize(1);
    assertThat(GateStatus.of(script.state()).approvals().get(0).target())
        .isEqualTo(Hlc.ofMicros(401) - 1);
  }

  @Test
  void continuingViolationsOfAWaitingRequestArePublishedLessAndLessOften() {
    Script script = Script.of(1, APPROVED);
    for (int i = 0; i < 1_000; i++) {
      violation(script, "p", 500 + i, 0);
      script.pass(1_000_000);
    }
    assertThat(script.steps()).hasSizeBetween(20, 80);
  }

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

  @Test
  void anApprovalThatIsReadAfterARejectionOpensNoPlan() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.judged(600).answer(1, false).steps();
    script.log(
        script.record(1).setPlanOpened(PlanOpened.newBuilder().setPredicate("p").setApproves(1)));
    assertThat(script.state().log().plan()).isNull();
    assertThat(script.steps()).isEmpty();
  }

  @Test
  void aSuccessorAlertsAgainThatApprovalIsNeeded() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.restart();
    assertThat(script.alerts().stream().filter(a -> a.kind() == Alert.Kind.APPROVAL_NEEDED))
        .hasSize(2);
  }

  @Test
  void aStandingViolationRepeatedAfterTheSafePointIsNotTooLate() {
    Script script = spent();
    violation(script, "p", 1_500_000, 2);
    script.judged(11_500_000).pass(50_000);
    assertThat(script.steps()).endsWith("2: safe 11500000");
    violation(script, "p", 1_500_000, 2);
    assertThat(script.outcomes()).endsWith(Command.Outcome.OVER_BUDGET);
    assertThat(script.alerts()).noneMatch(a -> a.kind() == Alert.Kind.VIOLATION_TOO_LATE);
  }

  @Test
  void anOperatorIsAlertedThatARestartGaveUpARequest() {
    Script script = Script.of(1, APPROVED, Policies.whenUnreachable("q", OnUnreachable.RESTART));
    violation(script, "p", 500, 0);
    violation(script, "q", 550, 0);
    script.paused(1, 0, 600).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.state().log().gates().requests()).isEmpty();
    assertThat(script.alerts()).anyMatch(a -> a.kind() == Alert.Kind.APPROVAL_GIVEN_UP);
  }

  @Test
  void anApprovedPlanWithAFallbackNeedNotReachItsTarget() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    assertThat(RollbackMachine.hasWayOutOfReach(script.state(), 1)).isFalse();
    script.policy(Policies.whenUnreachable("p", OnUnreachable.RESTART));
    assertThat(RollbackMachine.hasWayOutOfReach(script.state(), 1)).isTrue();
    script.policy(Policies.whenUnreachable("p", OnUnreachable.NEAREST_SNAPSHOT));
    assertThat(RollbackMachine.hasWayOutOfReach(script.state(), 1)).isFalse();
    script.snapshot("near", 1, 400, 1);
    assertThat(RollbackMachine.hasWayOutOfReach(script.state(), 1)).isTrue();
  }

  @Test
  void allInstancesOfAPredicateCountOnTheCutUntilOneStands() {
    Script script = Script.of(1, LIMITED);
    script.violation("p", "other", 500_000, 0, List.of("x")).judged(600_000);
    script.paused(1, 0, 0).restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: restore 2 to "));
  }

  // Both

  @Test
  void restartsAtAnyMomentChangeNoDecision() {
    for (long seed = 0; seed < 80; seed++) {
      assertThat(run(seed, true)).as("seed=%d", seed).isEqualTo(run(seed, false));
    }
  }

  /** Every period has at most as many rollbacks as the budget allows. */
  @Test
  void theBudgetHoldsForEverySeed() {
    for (long seed = 0; seed < 80; seed++) {
      Script script = Script.of(1, LIMITED);
      drive(script, 2 * seed + 1, false);
      List<PastPlan> plans = script.state().log().plans().past();
      for (int i = 2; i < plans.size(); i++) {
        assertThat(plans.get(i).openedMicros() - plans.get(i - 2).openedMicros())
            .as("seed=%d plan=%d", seed, i)
            .isGreaterThanOrEqualTo(PER);
      }
      assertThat(plans).as("seed=%d", seed).isNotEmpty();
    }
  }

  private static List<String> run(long seed, boolean restarts) {
    Script script = seed % 2 == 0 ? Script.of(1, LIMITED, FREE) : Script.of(1, APPROVED, FREE);
    return drive(script, seed, restarts);
  }

  private static List<String> drive(Script script, long seed, boolean restarts) {
    Random random = new Random(seed);
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      script.pass(random.nextLong(PER / 4));
      long now = script.state().nowMicros();
      switch (random.nextInt(6)) {
        case 0 -> script.judged(now);
        case 1 -> script.answer(1 + random.nextInt(8), random.nextBoolean());
        case 2 -> renew(script, seed);
        case 3 -> violation(script, "q", now, script.state().log().epoch());
        default -> violation(script, "p", now, script.state().log().epoch());
      }
      if (restarts) {
        script.restart();
      }
      if (script.state().log().plan() != null) {
        script.judged(now);
        script.carryOut(script.state().log().plan().epoch());
      }
      if (restarts) {
        script.restart();
      }
    }
    steps.addAll(script.steps().stream().filter(s -> !s.contains("safe")).toList());
    return steps;
  }

  private static void renew(Script script, long seed) {
    if (seed % 4 == 0) {
      script.renew("p");
    }
  }

  private static Script spent(Policy... policies) {
    Script script = policies.length == 0 ? Script.of(1, LIMITED) : Script.of(1, policies);
    for (int epoch = 0; epoch < 2; epoch++) {
      violation(script, "p", 1_000L * (epoch + 1), epoch);
      script.judged(1_000L * (epoch + 1)).carryOut(epoch + 1);
    }
    script.steps();
    return script;
  }

  private static void violation(Script script, String predicate, long at, long epoch) {
    script.violation(predicate + "@" + at, predicate, at, at, epoch, ViolationGrade.POSSIBLE);
  }
}

package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.ViolationGrade;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rollbacks that wait for an operator's approval. */
class ApprovalTest extends GatesFixture {
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
  void theRecordOfAnAnswerNamesItsUser() {
    Script script = Script.of(1, APPROVED);
    violation(script, "p", 500, 0);
    script.judged(600).answer(1, false, "alice");
    violation(script, "p", 700, 0);
    script.judged(800).answer(2, true, "bob").carryOut(1);
    assertThat(script.control().stream().filter(record -> !record.getBy().isEmpty()))
        .extracting(ControlRecord::getBy, ControlRecord::getStepCase)
        .containsExactly(
            tuple("alice", ControlRecord.StepCase.GATE),
            tuple("bob", ControlRecord.StepCase.PLAN_OPENED));
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
}

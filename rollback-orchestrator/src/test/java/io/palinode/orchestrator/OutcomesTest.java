package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Command.Outcome;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.predicate.OnViolation.Approval;
import io.palinode.predicate.OnViolation.Budget;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.wire.v1.ViolationGrade;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A changed outcome of a violation is alerted once. */
class OutcomesTest {
  private static final Policy APPROVED = Policies.gated("p", null, Approval.REQUIRED);
  private static final Policy LIMITED =
      Policies.gated("p", new Budget(1, Duration.ofSeconds(10)), Approval.AUTOMATIC);
  private static final Policy RESTART = Policies.whenUnreachable("p", OnUnreachable.RESTART);

  @Test
  void aRejectedRollbackChangesTheOutcomesOfItsViolations() {
    Script script = Script.of(1, APPROVED).violation("v1", "p", 100, 500);
    assertThat(script.outcome("v1")).isEqualTo(Outcome.ROLLBACK);
    script.answer(1, false);
    assertThat(script.outcome("v1")).isEqualTo(Outcome.REJECTED);
    assertThat(script.restart().outcome("v1")).isEqualTo(Outcome.REJECTED);
  }

  @Test
  void aChangedOutcomeIsAlertedOnceWithTheNewOne() {
    Script script = Script.of(1, APPROVED).violation("v1", "p", 100, 500).answer(1, false);
    script.judged(600).pass(100_000).violation("v2", "p", 700, 700).answer(2, false);
    assertThat(outcomesAlerted(script))
        .containsExactly("v1 ROLLBACK", "v1 REJECTED", "v2 ROLLBACK", "v2 REJECTED");
    assertThat(script.alerts())
        .anySatisfy(
            alert ->
                assertThat(alert.annotations().get("summary"))
                    .isEqualTo(
                        "predicate p was violated: the outcome is now REJECTED, no longer ROLLBACK"));
  }

  @Test
  void aSpentBudgetChangesTheOutcomeOfTheViolationThatMetIt() {
    Script script = Script.of(1, LIMITED).violation("v1", "p", 500, 500).judged(600).carryOut(1);
    violation(script, "v2", 1_500_000, 1);
    assertThat(script.outcome("v1")).isEqualTo(Outcome.ROLLBACK);
    assertThat(script.outcome("v2")).isEqualTo(Outcome.OVER_BUDGET);
    assertThat(outcomesAlerted(script)).endsWith("v2 ROLLBACK", "v2 OVER_BUDGET");
  }

  @Test
  void aRestartChangesTheOutcomesOfItsViolations() {
    Script script = Script.of(1, RESTART).violation("v1", "p", 100, 500).judged(600);
    script.paused(1, 0, 550).restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.state().log().epoch()).isEqualTo(1);
    assertThat(script.outcome("v1")).isEqualTo(Outcome.RESTARTED);
    assertThat(script.restart().outcome("v1")).isEqualTo(Outcome.RESTARTED);
  }

  @Test
  void anAbandonedPlanChangesTheOutcomesOfItsViolations() {
    Script script = Script.of(1, Policies.beforeViolation("p")).violation("v1", "p", 100, 500);
    script.judged(600).paused(1, 0, 550).operator(1, Intervention.ABANDON);
    script.restored(1, 0, 1).convergedAt(1, 0, 1, 900);
    assertThat(script.outcome("v1")).isEqualTo(Outcome.ABANDONED);
    assertThat(outcomesAlerted(script)).containsExactly("v1 ROLLBACK", "v1 ABANDONED");
  }

  @Test
  void aStandingViolationIsCoveredOnceAnotherPlanRestoresAnEarlierCut() {
    Script script = Script.of(1, LIMITED).violation("v1", "p", 500, 500).judged(600).carryOut(1);
    violation(script, "v2", 1_500_000, 1);
    script
        .judged(1_600_000)
        .pass(1_000_000)
        .wish(RollbackRequest.to("by-hand", Hlc.ofMicros(1_400_000)));
    script.carryOut(2);
    assertThat(script.state().log().epoch()).isEqualTo(2);
    assertThat(script.outcome("v2")).isEqualTo(Outcome.COVERED);
  }

  @Test
  void aRestartAfterDeletedPredicatesKeepsTheOutcomesOfARollback() {
    Script script = Script.of(1, Policies.beforeViolation("p"), Policies.beforeViolation("q"));
    script.violation("v1", "p", 100, 500).judged(600).carryOut(1);
    assertThat(script.violation("v2", "q", 100, 550).outcome("v2")).isEqualTo(Outcome.COVERED);
    script.restartWith(Policy.deleted("p", 2), Policy.deleted("q", 2));
    assertThat(script.outcome("v1")).isEqualTo(Outcome.ROLLBACK);
    assertThat(script.outcome("v2")).isEqualTo(Outcome.COVERED);
  }

  @Test
  void aPredicateThatIsDeletedBeforeItsPlanIsOpenedCausesNoRollback() {
    Script script = Script.of(1, APPROVED).holdLog().violation("v1", "p", 100, 500);
    script.policy(Policy.deleted("p", 2));
    assertThat(script.outcome("v1")).isEqualTo(Outcome.NO_ROLLBACK);
    assertThat(script.state().found().isSettled()).isTrue();
  }

  @Test
  void aViolationThatIsReportedAgainKeepsItsOutcome() {
    Script script = Script.of(1, APPROVED).violation("v1", "p", 100, 500).answer(1, false);
    script.violation("v1", "p", 100, 500, 0, ViolationGrade.DEFINITE);
    assertThat(script.outcome("v1")).isEqualTo(Outcome.REJECTED);
    assertThat(outcomesAlerted(script)).endsWith("v1 REJECTED");
  }

  private static void violation(Script script, String id, long at, long epoch) {
    script.violation(id, "p", at, at, epoch, ViolationGrade.POSSIBLE);
  }

  private static List<String> outcomesAlerted(Script script) {
    return script.alerts().stream()
        .filter(alert -> alert.kind() == Alert.Kind.VIOLATION)
        .map(alert -> alert.annotations().get("id") + " " + alert.annotations().get("outcome"))
        .toList();
  }
}

package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests for approval whose predicate changes or is deleted. */
class ChangedPolicyApprovalTest extends GatesFixture {
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
}

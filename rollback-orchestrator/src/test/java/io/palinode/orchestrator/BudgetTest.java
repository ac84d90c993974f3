package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.step.GateStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The budget of a predicate; HLCs are the wall clock of their violation. */
class BudgetTest extends GatesFixture {
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

  /** Each write of a sum has its own interval, so a standing one holds on the next one's cut. */
  @Test
  void aStandingViolationDoesNotHaltTheNextRollbackOfItsInstance() {
    Script script = spent();
    script.violation("p", "", 1_500_000, 2, List.of("x")).judged(1_600_000).pass(PER).steps();
    script.violation("p", "", 11_100_000, 2, List.of("x")).judged(11_200_000).paused(3, 0, 0);
    for (int attempt = 1; script.state().log().plan() != null && attempt < 20; attempt++) {
      long since = 11_100_000 - attempt * 1_000L;
      script.restored(3, 0, attempt).convergedSince(3, 0, attempt, "p", since, since);
    }
    assertThat(script.steps())
        .endsWith("3: converge 8", "3: resume from 1600000")
        .noneMatch(step -> step.contains("halt"));
    assertThat(script.state().log().epoch()).isEqualTo(3);
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
  void allInstancesOfAPredicateCountOnTheCutUntilOneStands() {
    Script script = Script.of(1, LIMITED);
    script.violation("p", "other", 500_000, 0, List.of("x")).judged(600_000);
    script.paused(1, 0, 0).restored(1, 0, 1).converged(1, 0, 1, "p", 0, 1);
    assertThat(script.steps()).anyMatch(step -> step.startsWith("1: restore 2 to "));
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
}

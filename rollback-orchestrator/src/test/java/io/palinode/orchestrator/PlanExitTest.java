package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.step.OperatorSteps;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.Contribution;
import io.palinode.wire.v1.DutyFailed;
import io.palinode.wire.v1.Restored;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanExitTest {
  private static final Policy P = Policies.beforeViolation("p");

  @Test
  void aDutyThatANodeCannotCarryOutHaltsThePlanInEachPhaseWithItsNameAndReason() {
    Script pausing = Script.of(2, P).violation("v", "p", 100, 500).judged(600);
    assertThat(failed(pausing, 1, 0, 0, "Pause").steps()).endsWith(halt("Pause"));
    Script restoring = restoring();
    assertThat(failed(restoring, 1, 1, 0, "Restore").steps()).endsWith(halt("Restore"));
    Script converging = restoring().restored(1, 0, 1).restored(1, 1, 1);
    assertThat(failed(converging, 1, 1, 0, "Contribute").steps()).endsWith(halt("Contribute"));
    assertThat(converging.refusal(1, Intervention.RETRY)).isEmpty();
    assertThat(converging.alerts()).extracting(Alert::kind).contains(Alert.Kind.PLAN_HALTED);
  }

  @Test
  void aFailureOfAnEarlierAttemptOrHaltOrOfADutyThatIsDoneChangesNothing() {
    Script script = restoring().restored(1, 1, 1);
    script.steps();
    assertThat(failed(script, 1, 1, 0, "Restore").steps()).as("it has answered").isEmpty();
    assertThat(failed(script, 0, 0, 0, "Pause").steps()).as("attempt 1 is open").isEmpty();
    assertThat(failed(script, 0, 1, 3, "Restore").steps()).as("no halt yet").isEmpty();
    assertThat(failed(script, 0, 1, 0, "Restore").steps()).hasSize(1);
    assertThat(failed(script, 0, 1, 1, "Restore").steps()).as("halted already").isEmpty();
    assertThat(script.operator(1, Intervention.RETRY).steps())
        .containsExactly("1: retry 1", "1: restore 2 to 500-");
  }

  @Test
  void anOperatorAbandonsAPlanThatWaitsForANodeInEachPhase() {
    for (Script waiting :
        List.of(
            Script.of(2, P).violation("v", "p", 100, 500).judged(600).paused(1, 0, 0),
            restoring().restored(1, 0, 1),
            restoring().restored(1, 0, 1).restored(1, 1, 1).converged(1, 0, 1, "p"))) {
      waiting.steps();
      assertThat(waiting.refusal(1, Intervention.RETRY)).contains("not halted");
      assertThat(waiting.operator(1, Intervention.ABANDON).steps())
          .startsWith("1: halt: an operator ended the wait for nodes [1]", "1: abandon 1");
      assertThat(waiting.alerts()).extracting(Alert::kind).doesNotContain(Alert.Kind.PLAN_HALTED);
      assertThat(waiting.refusal(1, Intervention.ABANDON))
          .contains("abandoned already", "'--as-is'");
      int attempt = plan(waiting).attempt() + (plan(waiting).phase() == Phase.PAUSING ? 1 : 0);
      waiting.paused(1, 1, 0).restored(1, 0, attempt).restored(1, 1, attempt);
      waiting.converged(1, 0, attempt, "p").converged(1, 1, attempt, "p");
      assertThat(waiting.state().log().epoch()).isEqualTo(1);
    }
  }

  @Test
  void anAbandonThatANodeCannotCarryOutEndsAsItIs() {
    Script script = restoring().restored(1, 0, 1);
    script.operator(1, Intervention.ABANDON).steps();
    failed(script, 1, 2, 1, "Keep").steps();
    script.endAsIs(1, Set.of());
    assertThat(script.steps()).containsExactly("1: abandon 2", "1: as is 3 to 500-");
    script.restored(1, 0, 2).steps();
    answered(script, 0, 3, 800);
    assertThat(script.steps()).as("node 1 runs: its answer counts").isEmpty();
    answered(script, 1, 3, 900);
    assertThat(script.steps()).containsExactly("1: converge 3", "1: resume from 500- after 900");
    PastPlan ended = script.state().log().plans().pastPlan(1);
    assertThat(ended).isNotNull().matches(PastPlan::abandoned).matches(PastPlan::asIs);
    assertThat(script.alerts())
        .last()
        .extracting(a -> a.annotations().get("summary"))
        .asString()
        .contains("may differ");
  }

  @Test
  void aPlanWhoseNodeDoesNotRunEndsAsItIsWithoutThatNode() {
    Script script = Script.of(3, P).violation("v", "p", 100, 500).judged(600);
    script.paused(1, 0, 0).steps();
    script.endAsIs(1, Set.of(2));
    assertThat(script.steps())
        .containsExactly("1: halt: an operator ended the wait for nodes [1, 2]", "1: abandon 1");
    assertThat(plan(script).missing(3)).containsExactly(1);
    assertThat(script.paused(1, 1, 0).restart().steps()).containsExactly("1: as is 1 to 500-");
    answered(script, 0, 1, 800);
    answered(script, 1, 1, 700);
    assertThat(script.steps()).containsExactly("1: converge 1", "1: resume from 500- after 800");
  }

  @Test
  void aNodeThatStopsLaterIsNamedInAnotherRecord() {
    Script script = restoring().restored(1, 0, 1);
    script.endAsIs(1, Set.of());
    answered(script, 0, 2, 800);
    script.steps();
    script.endAsIs(1, Set.of(1));
    assertThat(script.steps())
        .containsExactly(
            "1: halt: an operator ended the wait for nodes [1]",
            "1: abandon 2",
            "1: as is 3 to 500-");
    answered(script, 0, 3, 850);
    assertThat(script.steps()).contains("1: resume from 500- after 850");
  }

  @Test
  void onlyNodesOfTheClusterAreStoppedAndNotAllOfThem() {
    Script script = restoring();
    assertThatThrownBy(() -> OperatorSteps.requireEndable(script.state(), 1, Set.of(0, 1)))
        .hasMessageContaining("at least one node must run");
    assertThatThrownBy(() -> OperatorSteps.requireEndable(script.state(), 1, Set.of(2)))
        .hasMessageContaining("in [0, 1]: node=2");
    assertThatThrownBy(() -> OperatorSteps.requireEndable(script.state(), 2, Set.of()))
        .hasMessageContaining("rollback 2 is not open");
  }

  /** The others have contributed and wait too, so their names would mislead. */
  @Test
  void thePlanWaitsForTheNodesThatHaveNotContributed() {
    Script script = restoring().restored(1, 0, 1).restored(1, 1, 1);
    assertThat(plan(script).missing(2)).containsExactly(0, 1);
    Contribution.Builder piece = Contribution.newBuilder().setNode(0).setAttempt(1);
    script.log(script.record(1).setContribution(piece));
    assertThat(plan(script).missing(2)).as("not its last piece").containsExactly(0, 1);
    script.log(script.record(1).setContribution(piece.setLast(true)));
    assertThat(plan(script).missing(2)).containsExactly(1);
    assertThat(script.pass(60_000_000).alerts())
        .last()
        .extracting(a -> a.annotations().get("summary"))
        .isEqualTo("the rollback waits for nodes [1]");
  }

  private static Script restoring() {
    Script script = Script.of(2, P).violation("v", "p", 100, 500).judged(600);
    return script.paused(1, 0, 0).paused(1, 1, 0);
  }

  private static Script failed(Script script, int node, int attempt, int halts, String duty) {
    DutyFailed.Builder failed = DutyFailed.newBuilder().setNode(node).setAttempt(attempt);
    return script.log(
        script
            .record(1)
            .setDutyFailed(failed.setHalts(halts).setDuty(duty).setReason("no store 's'")));
  }

  private static void answered(Script script, int node, int attempt, long clockMicros) {
    Restored.Builder answer = Restored.newBuilder().setNode(node).setAttempt(attempt);
    script.log(
        script.record(1).setRestored(answer.setClock(Hlc.ofMicros(clockMicros)).setLast(true)));
  }

  private static Plan plan(Script script) {
    return Objects.requireNonNull(script.state().log().plan());
  }

  private static String halt(String duty) {
    return "1: halt: node 1 cannot carry out %s: no store 's'".formatted(duty);
  }
}

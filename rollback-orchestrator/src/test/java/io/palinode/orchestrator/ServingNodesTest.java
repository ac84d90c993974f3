package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Serving;
import io.palinode.wire.v1.ViolationGrade;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ServingNodesTest {
  private static final Policy P = Policies.beforeViolation("p");

  @Test
  void aPlanIsResumedWhenEveryNodeThatAnnouncedItServes() {
    Script script = resumed(true, true);
    assertThat(serving(script).missing()).containsExactly(0, 1);
    assertThat(shown(script)).isEqualTo(Rollback.State.RESUMING);
    script.log(serves(script, 1, 1));
    assertThat(serving(script).missing()).containsExactly(0);
    script.log(serves(script, 1, 1)).log(serves(script, 1, 0));
    assertThat(serving(script).missing()).isEmpty();
    assertThat(shown(script)).isEqualTo(Rollback.State.RESUMED);
  }

  @Test
  void aNodeOfAnEarlierReleaseIsNotWaitedFor() {
    assertThat(serving(resumed(false, false)).missing()).isEmpty();
    Script mixed = resumed(false, true);
    assertThat(serving(mixed).missing()).containsExactly(1);
  }

  @Test
  void anAcknowledgementOfAnotherEpochOrBeforeTheEndChangesNothing() {
    Script script = paused(true, true).log(serves(1, 0));
    finish(script);
    script.log(serves(script, 2, 0)).log(serves(script, 0, 0));
    assertThat(serving(script).missing()).containsExactly(0, 1);
  }

  @Test
  void theNextPlanIsNotHeldUpByNodesThatDoNotServe() {
    Script script = resumed(true, true);
    script.violation("v2", "p", 2_000, 2_000, 1, ViolationGrade.POSSIBLE);
    assertThat(script.state().log().plan()).isNotNull();
    assertThat(serving(script).missing()).isEmpty();
  }

  @Test
  void aNodeThatDoesNotServeFor10SecondsIsAlertedWithItsNumber() {
    Script script = resumed(true, true).log(serves(1, 1)).pass(9_000_000);
    assertThat(script.alerts()).extracting(Alert::kind).doesNotContain(Alert.Kind.PLAN_WAITS);
    script.pass(2_000_000).pass(1_000_000);
    assertThat(script.alerts())
        .filteredOn(alert -> alert.kind() == Alert.Kind.PLAN_WAITS)
        .singleElement()
        .satisfies(
            alert ->
                assertThat(alert.annotations().get("summary"))
                    .contains("nodes [0] do not serve its epoch yet"));
    script.log(serves(1, 0)).pass(20_000_000);
    assertThat(script.alerts()).filteredOn(a -> a.kind() == Alert.Kind.PLAN_WAITS).hasSize(1);
  }

  @Test
  void afterARestartTheSameNodesAreMissing() {
    Script script = resumed(true, true).log(serves(1, 1)).restart();
    assertThat(serving(script).missing()).containsExactly(0);
  }

  private static Script resumed(boolean... announced) {
    return finish(paused(announced));
  }

  private static Script paused(boolean... announced) {
    Script script = Script.of(announced.length, P).violation("v1", "p", 100, 500).judged(600);
    for (int node = 0; node < announced.length; node++) {
      script.log(
          script
              .record(1)
              .setPaused(
                  Paused.newBuilder().setNode(node).setAcknowledgesServing(announced[node])));
    }
    return script;
  }

  private static Script finish(Script script) {
    for (int node = 0; node < 2; node++) {
      script.restored(1, node, 1);
    }
    for (int node = 0; node < 2; node++) {
      script.converged(1, node, 1, "none");
    }
    return script;
  }

  private static ControlRecord.Builder serves(long epoch, int node) {
    return ControlRecord.newBuilder()
        .setEpoch(epoch)
        .setServing(Serving.newBuilder().setNode(node));
  }

  private static ControlRecord.Builder serves(Script script, long epoch, int node) {
    return script.record(epoch).setServing(Serving.newBuilder().setNode(node));
  }

  private static ServingNodes serving(Script script) {
    return script.state().log().plans().serving();
  }

  private static Rollback.State shown(Script script) {
    ApiHistory memory = new ApiHistory(2);
    script.control().forEach(memory::took);
    return serving(script).shown(Objects.requireNonNull(memory.rollback(1))).state();
  }
}

package io.palinode.orchestrator.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.DetectionLatency;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.metrics.OrchestratorMetrics;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which violations alert and count. */
class EffectsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> alerted = new ArrayList<>();
  private final List<String> again = new ArrayList<>();
  private final Effects effects =
      new Effects(
          new ApiHistory(1),
          new DetectionLatency(),
          new OrchestratorMetrics(registry),
          record -> {},
          alert -> alerted.add(alert.labels().get("id")),
          alert -> again.add(alert.labels().get("id") + " of " + alert.labels().get("violation")));

  @Test
  void aViolationThatStandsOverEpochsAlertsAndCountsOnce() {
    for (int epoch = 0; epoch < 27; epoch++) {
      found("of" + epoch, epoch, ViolationGrade.POSSIBLE, Command.Outcome.NO_ROLLBACK);
    }
    assertThat(alerted).containsExactly("of0");
    assertThat(again).as("in case its end was announced").hasSize(26).startsWith("of1 of of0");
    assertThat(registry.get("palinode.violations").counters())
        .singleElement()
        .matches(counter -> counter.count() == 1);
  }

  @Test
  void aHigherGradeAlertsOnceMore() {
    found("of0", 0, ViolationGrade.POSSIBLE, Command.Outcome.NO_ROLLBACK);
    found("of1", 1, ViolationGrade.UNCERTAIN, Command.Outcome.NO_ROLLBACK);
    found("of1", 1, ViolationGrade.DEFINITE, Command.Outcome.NO_ROLLBACK);
    found("of2", 2, ViolationGrade.POSSIBLE, Command.Outcome.NO_ROLLBACK);
    found("of3", 3, ViolationGrade.DEFINITE, Command.Outcome.NO_ROLLBACK);
    assertThat(alerted).containsExactly("of0", "of1");
  }

  @Test
  void anotherOutcomeAlerts() {
    found("of0", 0, ViolationGrade.POSSIBLE, Command.Outcome.ROLLBACK);
    found("of1", 1, ViolationGrade.POSSIBLE, Command.Outcome.STANDS);
    found("of2", 2, ViolationGrade.POSSIBLE, Command.Outcome.STANDS);
    assertThat(alerted).containsExactly("of0", "of1");
  }

  private void found(String id, int epoch, ViolationGrade grade, Command.Outcome outcome) {
    Violation violation =
        Violation.newBuilder()
            .setId(id)
            .setPredicate("p")
            .setEpoch(epoch)
            .setGrade(grade)
            .addWitnesses(
                Witness.newBuilder()
                    .addValues(
                        VariableVersion.newBuilder().setClock(ByteString.copyFromUtf8("x1"))))
            .build();
    Alert alert = new Alert(Alert.Kind.VIOLATION, Map.of("id", id), Map.of(), List.of(), 1);
    assertThat(effects.admit(new Event.ViolationFound(violation, 1_000), true))
        .as("the machine decides about each")
        .isTrue();
    effects.carryOut(
        new Command.Classified(violation, outcome, alert),
        MachineState.initial(RollbackSettings.of(1)),
        true);
  }
}

package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.state.Unwritten;
import io.palinode.orchestrator.step.WritableStep;
import io.palinode.wire.v1.ControlRecord;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Records that the control log refuses. */
class UnwrittenTest {
  private static final Policy P = Policies.beforeViolation("p");
  private static final long SECOND = 1_000_000;

  @Test
  void aStepOfAPlanThatTheLogCannotHoldHaltsThePlan() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(600).holdLog();
    script.paused(1, 0, 1);
    Step failed = failed(script.state(), AppendFailure.UNWRITABLE);
    assertThat(failed.commands()).singleElement().isInstanceOf(Command.Raise.class);
    assertThat(appended(failed)).as("not in the same moment").isEmpty();

    List<ControlRecord> next = appended(after(failed.next(), SECOND));
    assertThat(next).singleElement().matches(ControlRecord::hasHalted);
    assertThat(next.get(0).getHalted().getReason()).endsWith("control log: too large");
  }

  @Test
  void aStepThatIsRefusedIsTriedAgainMoreSlowlyWithOneAlertAMinute() {
    Script script = Script.of(1, P).violation("v1", "p", 100, 500).judged(600).holdLog();
    script.paused(1, 0, 1);
    MachineState state = failed(script.state(), AppendFailure.REFUSED).next();
    Step second = after(state, SECOND);
    assertThat(appended(second)).singleElement().matches(ControlRecord::hasRestore);
    Step refused = failed(second.next(), AppendFailure.REFUSED);
    assertThat(refused.commands()).as("no second alert").isEmpty();
    assertThat(appended(after(refused.next(), 9 * SECOND))).isEmpty();
    Step third = after(refused.next(), 10 * SECOND);
    assertThat(appended(third)).singleElement().matches(ControlRecord::hasRestore);
    assertThat(third.next().outbox().unwritten()).isNotNull();

    ControlRecord restore = appended(third).get(0);
    Step read = RollbackMachine.step(third.next(), new Event.ControlRead(restore, now(third)));
    assertThat(read.next().outbox().unwritten()).isNull();
  }

  @Test
  void aWishThatTheLogCannotHoldIsForgotten() {
    Script script =
        Script.of(1, P).judged(600).holdLog().wish(RollbackRequest.to("w", Hlc.ofMicros(300)));
    Step failed = failed(script.state(), AppendFailure.UNWRITABLE);
    assertThat(failed.commands()).isEmpty();
    assertThat(failed.next().outbox().unwritten()).isNull();
    assertThat(appended(after(failed.next(), 20 * SECOND))).noneMatch(ControlRecord::hasPlanOpened);
    Event other =
        new Event.RollbackWanted(
            RollbackRequest.to("other", Hlc.ofMicros(300)), now(failed) + Unwritten.RETRY_MICROS);
    assertThat(appended(RollbackMachine.step(failed.next(), other)))
        .anyMatch(ControlRecord::hasPlanOpened);
  }

  @Test
  void namesAndReasonsThatDoNotFitAreRefusedOrCut() {
    assertThatThrownBy(() -> RollbackRequest.to("r".repeat(65), 1))
        .hasMessage("the name of a request must have at most 64 characters: it has 65");
    assertThatThrownBy(() -> RollbackRequest.to("a b", 1)).hasMessageContaining("'a b'");
    ControlRecord.Builder halted = ControlRecord.newBuilder();
    halted.getHaltedBuilder().setReason("x".repeat(5_000));
    assertThat(WritableStep.bounded(halted.build()).getHalted().getReason())
        .hasSize(Unwritten.TEXT_CHARS_MAX)
        .endsWith("…");
  }

  private static Step failed(MachineState state, AppendFailure failure) {
    ControlRecord awaited = Objects.requireNonNull(state.outbox().awaited());
    return RollbackMachine.step(
        state, new Event.AppendFailed(awaited, failure, "too large", state.nowMicros()));
  }

  private static Step after(MachineState state, long micros) {
    return RollbackMachine.step(state, new Event.Tick(state.nowMicros() + micros));
  }

  private static long now(Step step) {
    return step.next().nowMicros();
  }

  private static List<ControlRecord> appended(Step step) {
    return step.commands().stream()
        .filter(Command.Append.class::isInstance)
        .map(command -> ((Command.Append) command).record())
        .toList();
  }
}

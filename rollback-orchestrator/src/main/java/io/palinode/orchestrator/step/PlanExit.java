package io.palinode.orchestrator.step;

import io.palinode.orchestrator.plan.Phase;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Restore;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The next step of a plan that a node cannot carry out, or that an operator abandons.
 *
 * <p>A {@code DutyFailed} halts the plan in every phase. An operator abandons a plan in every
 * phase: a halt comes first, so that nodes of every release follow. If a node cannot even do that,
 * the operator ends the plan as it is. Each running node then only answers with its clock; a node
 * that does not run reads the log when it starts. The phases stay Restore, Converge and Resume.
 */
final class PlanExit {
  private final MachineState state;
  private final Plan plan;

  PlanExit(MachineState state, Plan plan) {
    this.state = state;
    this.plan = plan;
  }

  /** Whether the steps of {@link NextStep} do not apply. */
  static boolean isDue(Plan plan) {
    return plan.phase() == Phase.HALTED
        || !plan.halts().answers().failed().isEmpty()
        || plan.halts().ending().asIs();
  }

  /** Null while an operator has to decide, or nodes have to answer. */
  @Nullable ControlRecord next() {
    if (plan.phase() == Phase.HALTED) {
      Abandon asked = plan.halts().ending().asked();
      return asked == null
          ? null
          : step().setAbandon(asked.toBuilder().setHalt(plan.halts().count())).build();
    }
    String failure = plan.halts().answers().failure();
    return failure.isEmpty() ? nextAsIs() : step().setHalted(halted(plan, failure)).build();
  }

  private @Nullable ControlRecord nextAsIs() {
    return switch (plan.phase()) {
      case PAUSING -> isAll(plan.acked()) ? step().setRestore(asIs()).build() : null;
      case RESTORING ->
          isAll(plan.acked())
              ? step().setConverge(Converge.newBuilder().setAttempt(plan.attempt())).build()
              : null;
      case CONVERGING -> NextStep.resumed(state, plan);
      case OPENED, HALTED -> null;
    };
  }

  private boolean isAll(Set<Integer> answered) {
    return plan.halts().ending().isAll(answered, state.settings().nodes());
  }

  private Restore.Builder asIs() {
    return Restore.newBuilder()
        .setAttempt(plan.attempt() + 1)
        .setTarget(plan.target())
        .setKeep(true)
        .setAsIs(true);
  }

  /** A halt that counts only for the current attempt and the current answers. */
  static Halted.Builder halted(Plan plan, String reason) {
    return Halted.newBuilder()
        .setReason(reason)
        .setAttempt(plan.attempt())
        .setHaltsBefore(plan.halts().count());
  }

  private ControlRecord.Builder step() {
    return ControlRecord.newBuilder().setEpoch(plan.epoch()).setAtMicros(state.nowMicros());
  }
}

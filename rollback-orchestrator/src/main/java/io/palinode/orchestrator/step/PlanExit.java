package io.palinode.orchestrator.step;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
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
  private final PlanRecords records;

  PlanExit(MachineState state, Plan plan) {
    this.state = state;
    this.plan = plan;
    this.records = new PlanRecords(state, plan);
  }

  /** Whether the steps of {@link NextStep} do not apply. */
  static boolean isDue(Plan plan) {
    return plan.phase() == Phase.HALTED
        || !plan.halts().answers().failed().isEmpty()
        || plan.steps().decision().asIs();
  }

  /** Null while an operator has to decide, or nodes have to answer. */
  @Nullable ControlRecord next() {
    if (plan.phase() == Phase.HALTED) {
      Abandon asked = plan.halts().ending().asked();
      return asked == null
          ? null
          : records.step().setAbandon(asked.toBuilder().setHalt(plan.steps().halts())).build();
    }
    String failure = plan.halts().answers().failure();
    return failure.isEmpty() ? nextAsIs() : records.halt(failure);
  }

  private @Nullable ControlRecord nextAsIs() {
    return switch (plan.phase()) {
      case PAUSING -> isAll(plan.acked()) ? records.step().setRestore(asIs()).build() : null;
      case RESTORING -> isAll(plan.acked()) ? records.converge() : null;
      case CONVERGING -> records.resume();
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
}

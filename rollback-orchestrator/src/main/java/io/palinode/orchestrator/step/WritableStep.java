package io.palinode.orchestrator.step;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.state.Unwritten;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import org.jspecify.annotations.Nullable;

/** The next step, in a form that the control log accepts. Pure. */
public final class WritableStep {
  private WritableStep() {}

  /**
   * The next step, with texts that fit. If the log cannot hold a step of the open plan, the plan
   * halts with that reason.
   */
  public static @Nullable ControlRecord next(MachineState state) {
    ControlRecord step = NextStep.of(state);
    Plan plan = state.log().plan();
    Unwritten failed = state.outbox().unwritten();
    if (step == null || plan == null || failed == null || !failed.halts()) {
      return step == null ? null : bounded(step);
    }
    String reason = "a step cannot be written to the control log: " + failed.reason();
    return ControlRecord.newBuilder()
        .setEpoch(plan.epoch())
        .setAtMicros(state.nowMicros())
        .setHalted(PlanRecords.halted(plan, Unwritten.clipped(reason)))
        .build();
  }

  /** The step with free texts that fit into the log. */
  public static ControlRecord bounded(ControlRecord step) {
    return switch (step.getStepCase()) {
      case HALTED -> {
        Halted halted = step.getHalted();
        yield Unwritten.isLong(halted.getReason())
            ? step.toBuilder()
                .setHalted(halted.toBuilder().setReason(Unwritten.clipped(halted.getReason())))
                .build()
            : step;
      }
      case RESTORE -> {
        Restore restore = step.getRestore();
        yield Unwritten.isLong(restore.getReason())
            ? step.toBuilder()
                .setRestore(restore.toBuilder().setReason(Unwritten.clipped(restore.getReason())))
                .build()
            : step;
      }
      case PLAN_OPENED -> {
        PlanOpened opened = step.getPlanOpened();
        yield Unwritten.isLong(opened.getReason())
            ? step.toBuilder()
                .setPlanOpened(opened.toBuilder().setReason(Unwritten.clipped(opened.getReason())))
                .build()
            : step;
      }
      default -> step;
    };
  }
}

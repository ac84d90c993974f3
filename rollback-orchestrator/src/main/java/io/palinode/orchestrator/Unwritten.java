package io.palinode.orchestrator;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import org.jspecify.annotations.Nullable;

/**
 * A step of the orchestrator's own that the control log did not take, and takes still not.
 * Immutable.
 *
 * @param sinceMicros when it failed first
 * @param alertedMicros when people were alerted last
 * @param tries that failed
 */
public record Unwritten(
    ControlRecord step,
    AppendFailure failure,
    String reason,
    long sinceMicros,
    long alertedMicros,
    int tries) {
  static final long RETRY_MICROS = 1_000_000;
  static final long RETRY_SLOWLY_MICROS = 10_000_000;
  static final long ALERT_EVERY_MICROS = 60_000_000;

  /** Of each free text in a record that the orchestrator writes. */
  static final int TEXT_CHARS_MAX = 1_024;

  /** After one more failure, of the same step or of the next one. */
  static Unwritten after(
      @Nullable Unwritten before, ControlRecord step, Event.AppendFailed failed, long nowMicros) {
    String reason = clipped(failed.reason());
    return before == null
        ? new Unwritten(step, failed.failure(), reason, nowMicros, nowMicros, 1)
        : new Unwritten(
            step,
            failed.failure(),
            reason,
            before.sinceMicros,
            before.isAlertDue(nowMicros) ? nowMicros : before.alertedMicros,
            before.tries + 1);
  }

  private boolean isAlertDue(long nowMicros) {
    return nowMicros - alertedMicros >= ALERT_EVERY_MICROS;
  }

  /** The last failure is one that people are alerted of: the first, and one each minute. */
  boolean isAlerted(long nowMicros) {
    return alertedMicros == nowMicros;
  }

  long retryMicros(long nowMicros) {
    boolean isSlow = failure.isPermanent() && tries > 1;
    return nowMicros + (isSlow ? RETRY_SLOWLY_MICROS : RETRY_MICROS);
  }

  /** One sentence for people. */
  public String text(long nowMicros) {
    return "the control log has not taken %s of epoch %d for %d s (%d tries), it is tried again: %s"
        .formatted(
            step.getStepCase(),
            step.getEpoch(),
            Math.max(0, nowMicros - sinceMicros) / 1_000_000,
            tries,
            reason);
  }

  /**
   * The step that is written next, with texts that fit. When a step of the open plan cannot be in
   * the log, the plan halts with that reason instead.
   */
  static @Nullable ControlRecord next(MachineState state) {
    ControlRecord step = NextStep.of(state);
    Plan plan = state.log().plan();
    Unwritten failed = state.outbox().unwritten();
    if (step == null || plan == null || failed == null || !failed.halts()) {
      return step == null ? null : bounded(step);
    }
    Halted.Builder halted =
        Halted.newBuilder()
            .setReason(clipped("a step cannot be written to the control log: " + failed.reason))
            .setAttempt(plan.attempt())
            .setHaltsBefore(plan.halts().count());
    return ControlRecord.newBuilder()
        .setEpoch(plan.epoch())
        .setAtMicros(state.nowMicros())
        .setHalted(halted)
        .build();
  }

  private boolean halts() {
    return failure == AppendFailure.UNWRITABLE && !step.hasSafePoint();
  }

  /** With free texts that fit into the log. */
  static ControlRecord bounded(ControlRecord step) {
    return switch (step.getStepCase()) {
      case HALTED -> {
        Halted halted = step.getHalted();
        yield isLong(halted.getReason())
            ? step.toBuilder()
                .setHalted(halted.toBuilder().setReason(clipped(halted.getReason())))
                .build()
            : step;
      }
      case RESTORE -> {
        Restore restore = step.getRestore();
        yield isLong(restore.getReason())
            ? step.toBuilder()
                .setRestore(restore.toBuilder().setReason(clipped(restore.getReason())))
                .build()
            : step;
      }
      case PLAN_OPENED -> {
        PlanOpened opened = step.getPlanOpened();
        yield isLong(opened.getReason())
            ? step.toBuilder()
                .setPlanOpened(opened.toBuilder().setReason(clipped(opened.getReason())))
                .build()
            : step;
      }
      default -> step;
    };
  }

  private static boolean isLong(String text) {
    return text.length() > TEXT_CHARS_MAX;
  }

  private static String clipped(String text) {
    return isLong(text) ? text.substring(0, TEXT_CHARS_MAX - 1) + "…" : text;
  }
}

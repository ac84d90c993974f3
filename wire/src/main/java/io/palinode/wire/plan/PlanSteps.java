package io.palinode.wire.plan;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.Resume;

/**
 * The steps of the open plan, and which record counts as the next one. Immutable.
 *
 * <p>Two orchestrators may write into one log. The first record of each step counts. A record that
 * does not fit the phase changes nothing, so every reader of the log sees one order of steps.
 *
 * @param attempt the number of the newest {@code Restore}; 0 before the first
 * @param restarts whether the newest attempt keeps the data and has programs restart
 * @param failed whether a node could not restore in the newest attempt
 * @param halts the number of halts
 * @param decision what an operator has decided
 */
public record PlanSteps(
    Phase phase, int attempt, boolean restarts, boolean failed, int halts, Decision decision) {
  /** The steps of a plan that was just opened. */
  public static final PlanSteps OPENED =
      new PlanSteps(Phase.OPENED, 0, false, false, 0, Decision.NONE);

  /**
   * What an operator has decided about a plan.
   *
   * @param abandoned the plan keeps all data, because nodes could not carry it out
   * @param cancelled the plan keeps all data, because it was cancelled before a restore
   * @param asIs the plan ends with the data that each node has
   */
  public record Decision(boolean abandoned, boolean cancelled, boolean asIs) {
    static final Decision NONE = new Decision(false, false, false);
  }

  /** The steps after a record of the plan's epoch; the same object if it is no next step. */
  public PlanSteps after(ControlRecord record) {
    return switch (record.getStepCase()) {
      case PAUSE -> phase == Phase.OPENED ? in(Phase.PAUSING) : this;
      case RESTORE -> counts(record.getRestore()) ? restoring(record.getRestore()) : this;
      case RESTORED -> isFailure(record.getRestored()) ? withFailure() : this;
      case CONVERGE ->
          phase == Phase.RESTORING && record.getConverge().getAttempt() == attempt
              ? in(Phase.CONVERGING)
              : this;
      case HALTED -> counts(record.getHalted()) ? halted() : this;
      case RETRY -> isHalt(record.getRetry().getHalt()) ? retried().in(Phase.PAUSING) : this;
      case ABANDON ->
          isHalt(record.getAbandon().getHalt()) ? abandoned(record.getAbandon().getAsIs()) : this;
      case CANCEL -> isCancellable() ? cancelled() : this;
      case PLAN_OPENED,
          PAUSED,
          ACCESSED,
          NAMED,
          CONTRIBUTION,
          CONVERGED,
          DUTY_FAILED,
          RESUME,
          SAFE_POINT,
          NODE_JOINED,
          WATCHING,
          NODE_REPORT,
          SNAPSHOT,
          EFFECT,
          GATE,
          COVERAGE,
          SERVING,
          STEP_NOT_SET ->
          this;
    };
  }

  /** Whether the resume ends the plan. A resume of an earlier attempt does not. */
  public boolean isEndedBy(Resume resume) {
    return phase == Phase.CONVERGING && (!resume.hasAttempt() || resume.getAttempt() == attempt);
  }

  /** Whether the plan can still be cancelled: the log holds no restore of it. */
  public boolean isCancellable() {
    return attempt == 0 && !keepsData();
  }

  /** Whether the plan undoes no write. */
  public boolean keepsData() {
    return decision.abandoned || decision.cancelled || restarts;
  }

  /** The steps as a retry leaves them, in the same phase. */
  public PlanSteps retried() {
    Decision retried = new Decision(false, decision.cancelled, false);
    return new PlanSteps(phase, attempt, restarts, failed, halts, retried);
  }

  /** Whether the restore is the next attempt. A node's failure ends an attempt at once. */
  private boolean counts(Restore restore) {
    boolean isDue =
        phase == Phase.PAUSING || phase == Phase.CONVERGING || (phase == Phase.RESTORING && failed);
    return isDue && restore.getAttempt() == attempt + 1 && fits(restore);
  }

  /** A restore that was decided before an operator's decision does not fit it. */
  private boolean fits(Restore restore) {
    boolean givenUp = decision.abandoned || decision.cancelled;
    if (restore.getAsIs() != decision.asIs) {
      return false;
    }
    return restore.getRestart()
        ? restore.getKeep() && !givenUp
        : !restarts && restore.getKeep() == givenUp;
  }

  private boolean isFailure(Restored restored) {
    return phase == Phase.RESTORING
        && restored.getAttempt() == attempt
        && !restored.getFailure().isEmpty();
  }

  /** A halt that was decided before an operator's answer or a later attempt does not count. */
  private boolean counts(Halted halt) {
    return phase != Phase.HALTED
        && (!halt.hasAttempt() || halt.getAttempt() == attempt)
        && (!halt.hasHaltsBefore() || halt.getHaltsBefore() == halts);
  }

  /** Whether an operator's answer is to the present halt. */
  private boolean isHalt(int halt) {
    return phase == Phase.HALTED && halt == halts;
  }

  private PlanSteps in(Phase next) {
    return new PlanSteps(next, attempt, restarts, failed, halts, decision);
  }

  private PlanSteps restoring(Restore restore) {
    return new PlanSteps(
        Phase.RESTORING, restore.getAttempt(), restore.getRestart(), false, halts, decision);
  }

  private PlanSteps withFailure() {
    return failed ? this : new PlanSteps(phase, attempt, restarts, true, halts, decision);
  }

  private PlanSteps halted() {
    return new PlanSteps(Phase.HALTED, attempt, restarts, failed, halts + 1, decision);
  }

  private PlanSteps abandoned(boolean asIs) {
    Decision abandoned = new Decision(true, decision.cancelled, asIs);
    return new PlanSteps(Phase.PAUSING, attempt, false, failed, halts, abandoned);
  }

  /** A pause that is due stays due. */
  private PlanSteps cancelled() {
    Phase next = phase == Phase.HALTED ? Phase.PAUSING : phase;
    return new PlanSteps(next, 0, false, failed, halts, new Decision(false, true, false));
  }
}

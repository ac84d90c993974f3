package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import java.util.List;

/**
 * A plan as operators see it, from the records that took effect. Immutable. Times are wall clocks
 * of the writers.
 *
 * @param epoch the epoch that the plan opens
 * @param predicate the cause; {@code violationIds} are the first of its violations
 * @param target of the last restore, or of the opening before the first
 * @param undoneWrites on all nodes, after {@code target}: each restore counts those of earlier
 *     attempts again
 * @param convergedKeys keys that converging changed, on all nodes
 * @param sinceMicros when the last step was written
 * @param lastPausedMicros when the latest node paused
 * @param endedMicros when the plan was resumed or halted; 0 before
 * @param haltReason of the last halt, while the plan is halted and if it was abandoned; else empty
 * @param abandoned an operator abandoned the plan
 * @param cancelled an operator cancelled the plan before a restore
 */
public record Rollback(
    long epoch,
    String predicate,
    List<String> violationIds,
    State state,
    long target,
    int attempts,
    long undoneWrites,
    long convergedKeys,
    long openedMicros,
    long sinceMicros,
    long lastPausedMicros,
    long endedMicros,
    StepTimes times,
    String haltReason,
    boolean abandoned,
    boolean cancelled) {

  public enum State {
    OPENED,
    PAUSING,
    RESTORING,
    CONVERGING,
    /** The epoch began, but some node has not acknowledged that it serves it. */
    RESUMING,
    /** Every node serves the epoch. Nodes of earlier releases do not acknowledge that. */
    RESUMED,
    HALTED,
    /** The epoch began without a restore, because an operator abandoned the plan. */
    ABANDONED,
    /** The epoch began without a restore, because an operator cancelled the plan. */
    CANCELLED,
    /** The target could not be restored: nodes kept their data and programs restarted. */
    RESTARTED;

    private boolean isLast() {
      return this == RESUMED
          || this == HALTED
          || this == ABANDONED
          || this == CANCELLED
          || this == RESTARTED;
    }
  }

  public static Rollback opened(ControlRecord record) {
    return new Rollback(
        record.getEpoch(),
        record.getPlanOpened().getPredicate(),
        List.copyOf(record.getPlanOpened().getViolationIdsList()),
        State.OPENED,
        record.getPlanOpened().getTarget(),
        0,
        0,
        0,
        record.getAtMicros(),
        record.getAtMicros(),
        record.getAtMicros(),
        0,
        StepTimes.NONE,
        "",
        false,
        false);
  }

  /** With the next record of its epoch that took effect. */
  public Rollback after(ControlRecord record) {
    long since = record.getAtMicros() - sinceMicros;
    return switch (record.getStepCase()) {
      case PAUSE -> entered(State.PAUSING, record, times);
      case PAUSED -> paused(record.getAtMicros());
      case RESTORE -> restoring(record, since);
      case RESTORED -> restored(record.getRestored());
      case CONVERGE -> entered(State.CONVERGING, record, times.restored(since));
      case CONVERGED -> converged(record.getConverged());
      case RESUME -> entered(lastState(record), record, times.converged(since));
      case HALTED -> entered(State.HALTED, record, times);
      case RETRY -> answered(record, false);
      case ABANDON -> answered(record, true);
      case CANCEL -> cancelled(record);
      case PLAN_OPENED,
          ACCESSED,
          NAMED,
          CONTRIBUTION,
          DUTY_FAILED,
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

  public boolean isEnded() {
    return state.isLast();
  }

  /** The same rollback, shown as resuming. */
  public Rollback resuming() {
    return new Rollback(
        epoch,
        predicate,
        violationIds,
        State.RESUMING,
        target,
        attempts,
        undoneWrites,
        convergedKeys,
        openedMicros,
        sinceMicros,
        lastPausedMicros,
        0,
        times,
        haltReason,
        abandoned,
        cancelled);
  }

  private State lastState(ControlRecord resume) {
    return resume.getResume().getRestart()
        ? State.RESTARTED
        : abandoned ? State.ABANDONED : cancelled ? State.CANCELLED : State.RESUMED;
  }

  /** From the opening to the end; 0 before the end. */
  public long totalMicros() {
    return isEnded() ? Math.max(0, endedMicros - openedMicros) : 0;
  }

  private Rollback restoring(ControlRecord record, long since) {
    StepTimes now =
        attempts == 0
            ? times.paused(lastPausedMicros - openedMicros, record.getAtMicros() - lastPausedMicros)
            : times.converged(since);
    Restore restore = record.getRestore();
    // A kept attempt does not undo earlier undos; a restore counts all of them again.
    long undone = restore.getKeep() || restore.hasFromSlice() ? undoneWrites : 0;
    return entered(State.RESTORING, record, now)
        .aiming(restore.getTarget(), restore.getAttempt(), undone);
  }

  private Rollback entered(State next, ControlRecord record, StepTimes newTimes) {
    String reason = abandoned && !record.hasHalted() ? haltReason : record.getHalted().getReason();
    return new Rollback(
        epoch,
        predicate,
        violationIds,
        next,
        target,
        attempts,
        undoneWrites,
        convergedKeys,
        openedMicros,
        record.getAtMicros(),
        lastPausedMicros,
        next.isLast() ? record.getAtMicros() : 0,
        newTimes,
        reason,
        abandoned,
        cancelled);
  }

  private Rollback answered(ControlRecord record, boolean abandon) {
    return entered(State.PAUSING, record, times)
        .given(abandon ? haltReason : "", abandon, cancelled);
  }

  /** With a cancellation, which also ends a halt. */
  private Rollback cancelled(ControlRecord record) {
    Rollback going = state == State.HALTED ? entered(State.PAUSING, record, times) : this;
    return going.given("", false, true);
  }

  private Rollback given(String reason, boolean abandon, boolean cancel) {
    return new Rollback(
        epoch,
        predicate,
        violationIds,
        state,
        target,
        attempts,
        undoneWrites,
        convergedKeys,
        openedMicros,
        sinceMicros,
        lastPausedMicros,
        endedMicros,
        times,
        reason,
        abandon,
        cancel);
  }

  private Rollback paused(long atMicros) {
    long last = Math.max(lastPausedMicros, atMicros);
    return counted(target, attempts, undoneWrites, convergedKeys, last);
  }

  private Rollback aiming(long newTarget, int attempt, long undone) {
    return counted(newTarget, attempt, undone, convergedKeys, lastPausedMicros);
  }

  /** Each piece holds the node's whole count, so only the last one counts. */
  private Rollback restored(Restored ack) {
    long more = ack.getLast() ? ack.getUndoneWrites() : 0;
    return counted(target, attempts, undoneWrites + more, convergedKeys, lastPausedMicros);
  }

  private Rollback converged(Converged ack) {
    long more = ack.getLast() ? ack.getChangedKeys() : 0;
    return counted(target, attempts, undoneWrites, convergedKeys + more, lastPausedMicros);
  }

  private Rollback counted(
      long newTarget, int newAttempts, long undone, long converged, long lastPaused) {
    return new Rollback(
        epoch,
        predicate,
        violationIds,
        state,
        newTarget,
        newAttempts,
        undone,
        converged,
        openedMicros,
        sinceMicros,
        lastPaused,
        endedMicros,
        times,
        haltReason,
        abandoned,
        cancelled);
  }
}

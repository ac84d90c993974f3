package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plan as operators see it, from the records that took effect. Immutable. Times are wall clocks
 * of the writers.
 *
 * @param epoch the epoch that the plan opens
 */
public record Rollback(
    long epoch, Cause cause, State state, Work work, Moments moments, Decision decision) {
  private static final int ACTS_MAX = 32;

  /**
   * Why the plan was opened.
   *
   * @param violationIds the first of the violations of {@code predicate}
   * @param snapshot the snapshot that an operator named; null: none
   * @param undoes the rollback whose discarded writes the plan reinstates; 0: none
   */
  record Cause(
      String predicate, List<String> violationIds, @Nullable String snapshot, long undoes) {}

  /**
   * What the nodes did.
   *
   * @param target of the last restore, or of the opening before the first
   * @param undoneWrites on all nodes, after {@code target}: each restore counts those of earlier
   *     attempts again
   * @param convergedKeys keys that converging changed, on all nodes
   */
  record Work(long target, int attempts, long undoneWrites, long convergedKeys) {
    private Work plus(long undone, long converged) {
      return new Work(target, attempts, undoneWrites + undone, convergedKeys + converged);
    }
  }

  /**
   * When the steps were written.
   *
   * @param sinceMicros when the last step was written
   * @param lastPausedMicros when the latest node paused
   * @param endedMicros when the plan was resumed or halted; 0 before
   */
  record Moments(
      long openedMicros,
      long sinceMicros,
      long lastPausedMicros,
      long endedMicros,
      StepTimes times) {
    private Moments entered(long atMicros, boolean isLast, StepTimes newTimes) {
      return new Moments(openedMicros, atMicros, lastPausedMicros, isLast ? atMicros : 0, newTimes);
    }

    private Moments paused(long atMicros) {
      long last = Math.max(lastPausedMicros, atMicros);
      return new Moments(openedMicros, sinceMicros, last, endedMicros, times);
    }

    private Moments notEnded() {
      return new Moments(openedMicros, sinceMicros, lastPausedMicros, 0, times);
    }
  }

  /**
   * What ended the plan, other than its steps.
   *
   * @param haltReason of the last halt, while the plan is halted and if it was abandoned; else
   *     empty
   * @param abandoned an operator abandoned the plan
   * @param cancelled an operator cancelled the plan before a restore
   * @param acts of users, oldest first; the first and the latest ones
   */
  record Decision(String haltReason, boolean abandoned, boolean cancelled, List<Act> acts) {
    private static final Decision NONE = new Decision("", false, false, List.of());
  }

  /**
   * What a user asked for.
   *
   * @param action such as {@code approve}
   * @param user at most 64 characters
   */
  public record Act(String action, String user, long atMicros) {
    private static final int USER_CHARS_MAX = 64;

    /** Null if no user asked for the record. A name that no user has is not shown. */
    public static @Nullable Act of(ControlRecord record) {
      String user = record.getBy();
      if (user.isEmpty()) {
        return null;
      }
      boolean isName =
          user.length() <= USER_CHARS_MAX && user.chars().allMatch(c -> c > ' ' && c < 127);
      return new Act(action(record), isName ? user : "?", record.getAtMicros());
    }

    private static String action(ControlRecord record) {
      return switch (record.getStepCase()) {
        case PLAN_OPENED -> opening(record.getPlanOpened());
        case RETRY -> "retry";
        case HALTED, ABANDON -> "abandon";
        case CANCEL -> "cancel";
        case GATE -> record.getGate().hasLetStand() ? "reject" : "renew";
        default -> "acknowledge";
      };
    }

    private static String opening(PlanOpened opened) {
      return opened.getApproves() > 0 ? "approve" : opened.getUndoes() > 0 ? "undo" : "run";
    }
  }

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
    PlanOpened opened = record.getPlanOpened();
    long at = record.getAtMicros();
    return new Rollback(
            record.getEpoch(),
            new Cause(
                opened.getPredicate(),
                List.copyOf(opened.getViolationIdsList()),
                opened.hasSnapshot() ? opened.getSnapshot().getId() : null,
                opened.getUndoes()),
            State.OPENED,
            new Work(opened.getTarget(), 0, 0, 0),
            new Moments(at, at, at, 0, StepTimes.NONE),
            Decision.NONE)
        .actedOn(record);
  }

  public String predicate() {
    return cause.predicate;
  }

  public List<String> violationIds() {
    return cause.violationIds;
  }

  /** The snapshot that an operator named; null: none. */
  public @Nullable String snapshot() {
    return cause.snapshot;
  }

  /** The rollback whose discarded writes it reinstates; 0: none. */
  public long undoes() {
    return cause.undoes;
  }

  public long target() {
    return work.target;
  }

  public int attempts() {
    return work.attempts;
  }

  public long undoneWrites() {
    return work.undoneWrites;
  }

  public long convergedKeys() {
    return work.convergedKeys;
  }

  public long openedMicros() {
    return moments.openedMicros;
  }

  public long endedMicros() {
    return moments.endedMicros;
  }

  public StepTimes times() {
    return moments.times;
  }

  public String haltReason() {
    return decision.haltReason;
  }

  public boolean cancelled() {
    return decision.cancelled;
  }

  /** What users asked for, oldest first; of more than 32, the first and the latest ones. */
  public List<Act> acts() {
    return decision.acts;
  }

  /** With the next record of its epoch that took effect. */
  public Rollback after(ControlRecord record) {
    return step(record).actedOn(record);
  }

  private Rollback actedOn(ControlRecord record) {
    Act act = Act.of(record);
    if (act == null || record.hasGate() || record.hasCoverage()) {
      return this;
    }
    List<Act> all = new ArrayList<>(decision.acts);
    if (all.size() == ACTS_MAX) {
      all.remove(1);
    }
    all.add(act);
    return with(
        new Decision(
            decision.haltReason, decision.abandoned, decision.cancelled, List.copyOf(all)));
  }

  private Rollback step(ControlRecord record) {
    long since = record.getAtMicros() - moments.sinceMicros;
    StepTimes times = moments.times;
    return switch (record.getStepCase()) {
      case PAUSE -> entered(State.PAUSING, record, times);
      case PAUSED -> with(work, moments.paused(record.getAtMicros()));
      case RESTORE -> restoring(record, since);
      case RESTORED -> with(restored(record.getRestored()), moments);
      case CONVERGE -> entered(State.CONVERGING, record, times.restored(since));
      case CONVERGED -> with(converged(record.getConverged()), moments);
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

  /** Whether it ended without a restore. */
  public boolean isKept() {
    return state == State.ABANDONED || state == State.CANCELLED || state == State.RESTARTED;
  }

  /** The same rollback, shown as resuming. */
  public Rollback resuming() {
    return new Rollback(epoch, cause, State.RESUMING, work, moments.notEnded(), decision);
  }

  private State lastState(ControlRecord resume) {
    return resume.getResume().getRestart()
        ? State.RESTARTED
        : decision.abandoned
            ? State.ABANDONED
            : decision.cancelled ? State.CANCELLED : State.RESUMED;
  }

  /** From the opening to the end; 0 before the end. */
  public long totalMicros() {
    return isEnded() ? Math.max(0, moments.endedMicros - moments.openedMicros) : 0;
  }

  private Rollback restoring(ControlRecord record, long since) {
    long lastPaused = moments.lastPausedMicros;
    StepTimes now =
        work.attempts == 0
            ? moments.times.paused(
                lastPaused - moments.openedMicros, record.getAtMicros() - lastPaused)
            : moments.times.converged(since);
    Restore restore = record.getRestore();
    // A restore by window-logs counts earlier undos again; one by a snapshot counts what differs
    // still. With `past`, a kept attempt reinstates them.
    boolean stays =
        restore.hasFromSlice()
            || restore.hasSnapshot()
            || (restore.getKeep() && restore.getPast() == 0);
    long undone = stays ? work.undoneWrites : 0;
    Work aiming = new Work(restore.getTarget(), restore.getAttempt(), undone, work.convergedKeys);
    Rollback next = entered(State.RESTORING, record, now);
    return next.with(aiming, next.moments);
  }

  private Rollback entered(State next, ControlRecord record, StepTimes newTimes) {
    String reason =
        decision.abandoned && !record.hasHalted()
            ? decision.haltReason
            : record.getHalted().getReason();
    return new Rollback(
        epoch,
        cause,
        next,
        work,
        moments.entered(record.getAtMicros(), next.isLast(), newTimes),
        new Decision(reason, decision.abandoned, decision.cancelled, decision.acts));
  }

  private Rollback answered(ControlRecord record, boolean abandon) {
    String reason = abandon ? decision.haltReason : "";
    return entered(State.PAUSING, record, moments.times)
        .with(new Decision(reason, abandon, decision.cancelled, decision.acts));
  }

  /** With a cancellation, which also ends a halt. */
  private Rollback cancelled(ControlRecord record) {
    Rollback going = state == State.HALTED ? entered(State.PAUSING, record, moments.times) : this;
    return going.with(new Decision("", false, true, decision.acts));
  }

  /** Each piece holds the node's whole count, so only the last one counts. */
  private Work restored(Restored ack) {
    return work.plus(ack.getLast() ? ack.getUndoneWrites() : 0, 0);
  }

  private Work converged(Converged ack) {
    return work.plus(0, ack.getLast() ? ack.getChangedKeys() : 0);
  }

  private Rollback with(Work newWork, Moments newMoments) {
    return new Rollback(epoch, cause, state, newWork, newMoments, decision);
  }

  private Rollback with(Decision newDecision) {
    return new Rollback(epoch, cause, state, work, moments, newDecision);
  }
}

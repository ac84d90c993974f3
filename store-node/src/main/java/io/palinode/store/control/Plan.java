package io.palinode.store.control;

import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import org.jspecify.annotations.Nullable;

/**
 * The state of the open plan, from the log. Immutable.
 *
 * <p>Of two orchestrators that write into one log, the first record of each step counts; a record
 * that does not fit the phase changes nothing. So every reader of the log sees one order of steps.
 *
 * @param epoch the epoch that the plan opens, which names it
 * @param paused whether this incarnation of this node has published {@code Paused}
 * @param quietSince the earliest time after which a paused node wrote no more in the old epoch;
 *     each undo is later; {@link Long#MAX_VALUE} before the first
 * @param attempt the newest; null before the first
 * @param halts the number of its halts
 * @param abandoned whether an operator abandoned it at the last halt
 * @param cancelled whether an operator cancelled it
 * @param asIs whether an operator ends it with the data of each node
 */
record Plan(
    long epoch,
    Phase phase,
    boolean paused,
    long quietSince,
    @Nullable Attempt attempt,
    int halts,
    boolean abandoned,
    boolean cancelled,
    boolean asIs) {

  enum Phase {
    OPENED,
    PAUSING,
    RESTORING,
    CONVERGING,
    /** An operator must retry or abandon the plan. */
    HALTED
  }

  static Plan of(long epoch) {
    return new Plan(epoch, Phase.OPENED, false, Long.MAX_VALUE, null, 0, false, false, false);
  }

  /** Whether nodes refuse requests below {@link #epoch}. */
  boolean isFenced() {
    return phase != Phase.OPENED;
  }

  /** The attempt for which nodes have duties; null if there is none. */
  @Nullable Attempt activeAttempt() {
    return phase == Phase.RESTORING || phase == Phase.CONVERGING ? attempt : null;
  }

  /** The times at which nodes may be on different sides of an undo; null before the first. */
  @Nullable Span halfUndone(long end) {
    return attempt == null ? null : new Span(epoch, quietSince, end);
  }

  /** Whether the node only answers: it changes nothing and publishes nothing in the old epoch. */
  boolean isEndingAsIs() {
    return asIs && attempt != null && attempt.asked().getAsIs();
  }

  /** Whether this node has done all its duties, unless the target moves back. */
  boolean hasConverged() {
    return attempt != null && attempt.converged();
  }

  /** The plan after a record of its epoch. */
  Plan after(ControlRecord record, int nodes, int self, long incarnation) {
    return switch (record.getStepCase()) {
      case PAUSE -> phase == Phase.OPENED ? in(Phase.PAUSING, attempt) : this;
      case PAUSED -> paused(record.getPaused(), self, incarnation);
      case RESTORE -> restore(record.getRestore());
      case CONVERGE ->
          phase == Phase.RESTORING
                  && attempt != null
                  && isOfAttempt(record.getConverge().getAttempt())
              ? in(Phase.CONVERGING, attempt.compared(nodes))
              : this;
      case ACCESSED, RESTORED, NAMED, CONTRIBUTION, CONVERGED -> answered(record, nodes, self);
      case HALTED ->
          isHaltedBy(record.getHalted()) ? in(Phase.HALTED, attempt).withHalts(halts + 1) : this;
      case RETRY -> leaveHalt(record.getRetry().getHalt(), false, false);
      case ABANDON -> leaveHalt(record.getAbandon().getHalt(), true, record.getAbandon().getAsIs());
      case CANCEL -> cancel();
      case PLAN_OPENED,
          RESUME,
          SAFE_POINT,
          NODE_JOINED,
          WATCHING,
          NODE_REPORT,
          SNAPSHOT,
          EFFECT,
          GATE,
          DUTY_FAILED,
          COVERAGE,
          SERVING,
          STEP_NOT_SET ->
          this;
    };
  }

  /** A record that was decided for an earlier attempt does not count. */
  boolean isEndedBy(Resume resume) {
    return phase == Phase.CONVERGING && (!resume.hasAttempt() || isOfAttempt(resume.getAttempt()));
  }

  /** A record that was decided before a retry or a later attempt does not count. */
  private boolean isHaltedBy(Halted halted) {
    int newest = attempt == null ? 0 : attempt.number();
    return phase != Phase.HALTED
        && (!halted.hasAttempt() || halted.getAttempt() == newest)
        && (!halted.hasHaltsBefore() || halted.getHaltsBefore() == halts);
  }

  private Plan paused(Paused record, int self, long incarnation) {
    boolean isOwn = record.getNode() == self && record.getIncarnation() == incarnation;
    long quiet = Math.min(quietSince, record.getQuietSince());
    return new Plan(
        epoch, phase, paused || isOwn, quiet, attempt, halts, abandoned, cancelled, asIs);
  }

  /** An operator's decision counts only for its halt. */
  private Plan leaveHalt(int halt, boolean abandon, boolean endAsIs) {
    return phase == Phase.HALTED && halt == halts
        ? new Plan(
            epoch, Phase.PAUSING, paused, quietSince, attempt, halts, abandon, cancelled, endAsIs)
        : this;
  }

  /** Counts before the first restore; a pause that is due stays due. */
  private Plan cancel() {
    if (attempt != null || abandoned) {
      return this;
    }
    Phase next = phase == Phase.HALTED ? Phase.PAUSING : phase;
    return new Plan(epoch, next, paused, quietSince, null, halts, false, true, false);
  }

  private Plan restore(Restore asked) {
    int next = attempt == null ? 1 : attempt.number() + 1;
    boolean isDue =
        phase == Phase.PAUSING
            || phase == Phase.CONVERGING
            || (phase == Phase.RESTORING && attempt != null && attempt.hasFailed());
    return isDue && asked.getAttempt() == next && isOfThisPlan(asked)
        ? in(Phase.RESTORING, Attempt.of(asked))
        : this;
  }

  /** A restore that was decided before an operator's decision does not count. */
  private boolean isOfThisPlan(Restore asked) {
    boolean givenUp = abandoned || cancelled;
    if (asked.getAsIs() != asIs) {
      return false;
    }
    boolean restarts = attempt != null && attempt.asked().getRestart() && !abandoned;
    return asked.getRestart()
        ? asked.getKeep() && !givenUp
        : !restarts && asked.getKeep() == givenUp;
  }

  private Plan answered(ControlRecord record, int nodes, int self) {
    Attempt now = attempt;
    if (now == null) {
      return this;
    }
    if (record.hasAccessed() && isOfAttempt(record.getAccessed().getAttempt())) {
      return in(phase, now.with(record.getAccessed(), nodes));
    }
    if (record.hasRestored() && isOfAttempt(record.getRestored().getAttempt())) {
      // After the comparison a record changes nothing, so that all readers of the log agree.
      if (now.comparison() != null) {
        return this;
      }
      Attempt restored = now.with(record.getRestored());
      return in(phase, phase == Phase.CONVERGING ? restored.compared(nodes) : restored);
    }
    if (record.hasNamed() && isOfAttempt(record.getNamed().getAttempt())) {
      return in(phase, now.with(record.getNamed()));
    }
    if (record.hasContribution() && isOfAttempt(record.getContribution().getAttempt())) {
      return in(phase, now.with(record.getContribution()));
    }
    Converged converged = record.getConverged();
    boolean isOwnEnd = converged.getNode() == self && converged.getLast();
    return record.hasConverged() && isOwnEnd && isOfAttempt(converged.getAttempt())
        ? in(phase, now.withConverged())
        : this;
  }

  private boolean isOfAttempt(int number) {
    return attempt != null && attempt.number() == number;
  }

  private Plan in(Phase next, @Nullable Attempt nextAttempt) {
    return new Plan(
        epoch, next, paused, quietSince, nextAttempt, halts, abandoned, cancelled, asIs);
  }

  private Plan withHalts(int count) {
    return new Plan(epoch, phase, paused, quietSince, attempt, count, abandoned, cancelled, asIs);
  }
}

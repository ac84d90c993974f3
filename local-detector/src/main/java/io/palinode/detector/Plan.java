package io.palinode.detector;

import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import org.jspecify.annotations.Nullable;

/**
 * What the log says of the open plan. Immutable.
 *
 * <p>Of two orchestrators that write into one log, the first record of each step counts; a record
 * that does not fit the phase changes nothing. So every reader of the log sees one order of steps.
 *
 * @param epoch the epoch that it opens, which names it
 * @param paused whether this incarnation of this node has said {@code Paused}
 * @param quietSince of all nodes that paused, the earliest time after which one wrote no more for
 *     the old epoch: what a node undoes comes later; {@link Long#MAX_VALUE} before the first
 * @param attempt the newest; null before the first
 * @param halts how often it was halted
 * @param abandoned whether an operator gave it up when it was halted last
 * @param cancelled whether an operator wants it no more
 */
record Plan(
    long epoch,
    Phase phase,
    boolean paused,
    long quietSince,
    @Nullable Attempt attempt,
    int halts,
    boolean abandoned,
    boolean cancelled) {

  enum Phase {
    OPENED,
    PAUSING,
    RESTORING,
    CONVERGING,
    /** An operator has to say how to go on. */
    HALTED
  }

  static Plan of(long epoch) {
    return new Plan(epoch, Phase.OPENED, false, Long.MAX_VALUE, null, 0, false, false);
  }

  /** Whether nodes refuse requests below {@link #epoch}. */
  boolean isFenced() {
    return phase != Phase.OPENED;
  }

  /** The attempt that the phase is about; null when nodes have nothing to do for one. */
  @Nullable Attempt activeAttempt() {
    return phase == Phase.RESTORING || phase == Phase.CONVERGING ? attempt : null;
  }

  /** Its times, at which nodes may be on different sides of an undo; null before the first. */
  @Nullable Span halfUndone(long end) {
    return attempt == null ? null : new Span(epoch, quietSince, end);
  }

  /** Whether this node has answered all that the plan asks of it, unless it goes further back. */
  boolean hasConverged() {
    return attempt != null && attempt.converged();
  }

  /** The plan after a record of its epoch. */
  Plan heard(ControlRecord record, int nodes, int self, long incarnation) {
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
          isHaltedBy(record.getHalted())
              ? new Plan(
                  epoch, Phase.HALTED, paused, quietSince, attempt, halts + 1, abandoned, cancelled)
              : this;
      case RETRY -> goOn(record.getRetry().getHalt(), false);
      case ABANDON -> goOn(record.getAbandon().getHalt(), true);
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
          COVERAGE,
          SERVING,
          STEP_NOT_SET ->
          this;
    };
  }

  /** Not by one that was decided for an earlier attempt. */
  boolean isEndedBy(Resume resume) {
    return phase == Phase.CONVERGING && (!resume.hasAttempt() || isOfAttempt(resume.getAttempt()));
  }

  /** Not by one that was decided before an operator, or another attempt, went on. */
  private boolean isHaltedBy(Halted halted) {
    int newest = attempt == null ? 0 : attempt.number();
    return phase != Phase.HALTED
        && (!halted.hasAttempt() || halted.getAttempt() == newest)
        && (!halted.hasHaltsBefore() || halted.getHaltsBefore() == halts);
  }

  private Plan paused(Paused said, int self, long incarnation) {
    boolean isOwn = said.getNode() == self && said.getIncarnation() == incarnation;
    long quiet = Math.min(quietSince, said.getQuietSince());
    return new Plan(epoch, phase, paused || isOwn, quiet, attempt, halts, abandoned, cancelled);
  }

  /** An operator's word counts for the halt that it was given for. */
  private Plan goOn(int halt, boolean abandon) {
    return phase == Phase.HALTED && halt == halts
        ? new Plan(epoch, Phase.PAUSING, paused, quietSince, attempt, halts, abandon, cancelled)
        : this;
  }

  /** It counts before the first restore; a pause that is still to come, still comes. */
  private Plan cancel() {
    if (attempt != null || abandoned) {
      return this;
    }
    Phase next = phase == Phase.HALTED ? Phase.PAUSING : phase;
    return new Plan(epoch, next, paused, quietSince, null, halts, false, true);
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

  /** Not one that was decided before the plan was given up, in whichever way. */
  private boolean isOfThisPlan(Restore asked) {
    boolean givenUp = abandoned || cancelled;
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
      // Once it was compared, all readers of the log have to go by the same.
      if (now.comparison() != null) {
        return this;
      }
      Attempt told = now.with(record.getRestored());
      return in(phase, phase == Phase.CONVERGING ? told.compared(nodes) : told);
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
    return new Plan(epoch, next, paused, quietSince, nextAttempt, halts, abandoned, cancelled);
  }
}

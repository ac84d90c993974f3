package io.palinode.store.control;

import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.plan.PlanSteps;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Resume;
import org.jspecify.annotations.Nullable;

/**
 * The state of the open plan, from the log. Immutable.
 *
 * @param epoch the epoch that the plan opens, which names it
 * @param steps the phase, and what an operator has decided
 * @param paused whether this incarnation of this node has published {@code Paused}
 * @param quietSince the earliest time after which a paused node wrote no more in the old epoch;
 *     each undo is later; {@link Long#MAX_VALUE} before the first
 * @param attempt the newest; null before the first
 */
record Plan(
    long epoch, PlanSteps steps, boolean paused, long quietSince, @Nullable Attempt attempt) {

  static Plan of(long epoch) {
    return new Plan(epoch, PlanSteps.OPENED, false, Long.MAX_VALUE, null);
  }

  Phase phase() {
    return steps.phase();
  }

  /** Whether nodes refuse requests below {@link #epoch}. */
  boolean isFenced() {
    return phase() != Phase.OPENED;
  }

  /** The attempt for which nodes have duties; null if there is none. */
  @Nullable Attempt activeAttempt() {
    return phase() == Phase.RESTORING || phase() == Phase.CONVERGING ? attempt : null;
  }

  /** The times at which nodes may be on different sides of an undo; null before the first. */
  @Nullable Span halfUndone(long end) {
    return attempt == null ? null : new Span(epoch, quietSince, end);
  }

  /** Whether the node only answers: it changes nothing and publishes nothing in the old epoch. */
  boolean isEndingAsIs() {
    return steps.decision().asIs() && attempt != null && attempt.asked().getAsIs();
  }

  /** Whether this node has done all its duties, unless the target moves back. */
  boolean hasConverged() {
    return attempt != null && attempt.converged();
  }

  /**
   * Whether all data stands: the plan was abandoned or cancelled before its first restore, and all
   * nodes converged. What an earlier attempt undid may stay undone.
   */
  boolean undidNothing() {
    return attempt != null
        && attempt.number() == 1
        && attempt.asked().getKeep()
        && !attempt.asked().getRestart()
        && !attempt.asked().getAsIs();
  }

  boolean isEndedBy(Resume resume) {
    return steps.isEndedBy(resume);
  }

  /** The plan after a record of its epoch. */
  Plan after(ControlRecord record, int nodes, int self, long incarnation) {
    PlanSteps next = steps.after(record);
    boolean counts = !next.equals(steps);
    Plan stepped = counts ? new Plan(epoch, next, paused, quietSince, attempt) : this;
    return switch (record.getStepCase()) {
      case PAUSED -> paused(record.getPaused(), self, incarnation);
      case RESTORE -> counts ? stepped.with(Attempt.of(record.getRestore())) : this;
      case CONVERGE -> counts && attempt != null ? stepped.with(attempt.compared(nodes)) : this;
      case ACCESSED, RESTORED, NAMED, CONTRIBUTION, CONVERGED ->
          stepped.answered(record, nodes, self);
      default -> stepped;
    };
  }

  private Plan paused(Paused record, int self, long incarnation) {
    boolean isOwn = record.getNode() == self && record.getIncarnation() == incarnation;
    long quiet = Math.min(quietSince, record.getQuietSince());
    return new Plan(epoch, steps, paused || isOwn, quiet, attempt);
  }

  private Plan answered(ControlRecord record, int nodes, int self) {
    Attempt now = attempt;
    if (now == null) {
      return this;
    }
    if (record.hasAccessed() && isOfAttempt(record.getAccessed().getAttempt())) {
      return with(now.with(record.getAccessed(), nodes));
    }
    if (record.hasRestored() && isOfAttempt(record.getRestored().getAttempt())) {
      // After the comparison a record changes nothing, so that all readers of the log agree.
      if (now.comparison() != null) {
        return this;
      }
      Attempt restored = now.with(record.getRestored());
      return with(phase() == Phase.CONVERGING ? restored.compared(nodes) : restored);
    }
    if (record.hasNamed() && isOfAttempt(record.getNamed().getAttempt())) {
      return with(now.with(record.getNamed()));
    }
    if (record.hasContribution() && isOfAttempt(record.getContribution().getAttempt())) {
      return with(now.with(record.getContribution()));
    }
    Converged converged = record.getConverged();
    boolean isOwnEnd = converged.getNode() == self && converged.getLast();
    return record.hasConverged() && isOwnEnd && isOfAttempt(converged.getAttempt())
        ? with(now.withConverged())
        : this;
  }

  private boolean isOfAttempt(int number) {
    return attempt != null && attempt.number() == number;
  }

  private Plan with(Attempt next) {
    return new Plan(epoch, steps, paused, quietSince, next);
  }
}

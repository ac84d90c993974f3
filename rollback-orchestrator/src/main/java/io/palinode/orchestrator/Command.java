package io.palinode.orchestrator;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Violation;
import org.jspecify.annotations.Nullable;

/** An order of the machine to its shell. Orders are carried out in sequence. */
public sealed interface Command {
  /** Append to the control log after all earlier records. */
  record Append(ControlRecord record) implements Command {}

  record Raise(Alert alert) implements Command {}

  /** A control record took effect. Records without effect are repeats or late. */
  record Took(ControlRecord record) implements Command {}

  /**
   * The outcome of a violation.
   *
   * @param alert due unless an alert of the same episode has said the same; null: none
   */
  record Classified(Violation violation, Outcome outcome, @Nullable Alert alert)
      implements Command {}

  /** Outcomes of earlier violations may have changed ({@link Outcomes#now}). */
  record Review() implements Command {}

  /** The effect of a violation. */
  enum Outcome {
    /**
     * It asks for a rollback, or a plan for it restored a cut before it. It may wait for approval.
     * If no plan restores such a cut, another outcome replaces this one.
     */
    ROLLBACK,
    /** A plan has restored, or is restoring, a cut before it. */
    COVERED,
    /** It stands: an operator abandoned the plan that was to restore a cut before it. */
    ABANDONED,
    /** It stands: its plan ended in a restart, nodes kept their data and programs restarted. */
    RESTARTED,
    /** Its predicate asks for no rollback, or not at this grade, or is deleted. */
    NO_ROLLBACK,
    /** It stands: the predicate's budget of rollbacks is spent. */
    OVER_BUDGET,
    /** It stands: an operator rejected its rollback. */
    REJECTED,
    /**
     * It stands: it held on a restored cut, when its epoch began. Either the predicate's gate lets
     * it stand, or it held before it was watched and no earlier cut can be restored.
     */
    STANDS,
    /** It is at or before the safe point, so no automatic rollback discards it. */
    TOO_LATE,
    /** Its predicate is not known yet. Another outcome follows, or it expires. */
    WAITING,
    /** Its predicate did not become known in time. */
    EXPIRED
  }
}

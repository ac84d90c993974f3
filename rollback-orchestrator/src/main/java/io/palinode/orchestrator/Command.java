package io.palinode.orchestrator;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Violation;

/** What the machine wants done, in this order. */
public sealed interface Command {
  /** Append to the control log, behind all earlier ones. */
  record Append(ControlRecord record) implements Command {}

  record Raise(Alert alert) implements Command {}

  /** A control record took effect (records without effect are repeats, or late). */
  record Took(ControlRecord record) implements Command {}

  /** What becomes of a violation. */
  record Classified(Violation violation, Outcome outcome) implements Command {}

  /** Outcomes of violations that were classified before may have changed ({@link Outcomes#now}). */
  record Review() implements Command {}

  /** What a violation causes. */
  enum Outcome {
    /**
     * It asks for a rollback, which may wait for approval; or a plan for it has restored a cut
     * before it. If no plan does, another outcome replaces this one.
     */
    ROLLBACK,
    /** A plan has taken, or is taking, the store back to before it. */
    COVERED,
    /** An operator has abandoned the plan that was to restore a cut before it: it stands. */
    ABANDONED,
    /** The plan ended in a restart: the store kept it, and programs were told to begin again. */
    RESTARTED,
    /** Its predicate asks for no rollback, or not at this grade, or is deleted. */
    NO_ROLLBACK,
    /** Its predicate's budget of rollbacks is spent: it stands. */
    OVER_BUDGET,
    /** An operator wants no rollback for it: it stands. */
    REJECTED,
    /**
     * It was there when its epoch began, in the state that a plan has restored: its predicate's
     * gate lets it stand, or it was there before it was watched, and nothing before it can be
     * restored.
     */
    STANDS,
    /** It is at or before the safe point: what was promised is not taken back. */
    TOO_LATE,
    /** Its predicate is not known yet; another outcome follows, or it expires. */
    WAITING,
    /** Its predicate did not become known in time. */
    EXPIRED
  }
}

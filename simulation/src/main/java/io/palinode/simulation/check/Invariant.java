package io.palinode.simulation.check;

/** What must hold of every run. */
public enum Invariant {
  /**
   * After each attempt of a plan a node holds what it held at the target, and what converging adds.
   */
  CONSISTENT_CUT,
  /** What changed near the target or after it is the same on all replicas then. */
  CONVERGED,
  /** No write of an older epoch is accepted once any node serves a newer one. */
  FENCE,
  /** A write that was acknowledged stands, unless its client was told that it was taken back. */
  ACKNOWLEDGED_WRITE,
  /** The detector's intervals are those in which the store's versions make the terms true. */
  INTERVALS,
  /** Every violation that the history holds is reported, or its coverage told as lost. */
  COVERING,
  /** No violation is reported that the history does not hold. */
  SOUND,
  /** A violation comes before the judgement that passes it. */
  JUDGED,
  /** The safe point never goes back, is judged, and nothing at or before it is taken back. */
  SAFE_POINT,
  /** A step of the protocol is taken once, by one who knows all before it. */
  PROTOCOL,
  /** A predicate's budget, and an operator's approval, come before its rollbacks. */
  GATE,
  /** A write that was acknowledged of a key that is to be used with R + W > N is everywhere. */
  SEQUENTIAL,
  /** A rollback of scope affected undoes what came of the witnesses, and nothing else. */
  AFFECTED,
  /** A coverage gap is unknown until an operator acknowledges it, whichever orchestrator acts. */
  COVERAGE,
  /** When nothing goes wrong any more, everything goes on, and comes to its end. */
  LIVE,
  /** Production code threw what it never may. */
  NO_BUG
}

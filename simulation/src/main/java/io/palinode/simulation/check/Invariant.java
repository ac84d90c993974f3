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
  /** An acknowledged write stands, unless its client was notified of its rollback. */
  ACKNOWLEDGED_WRITE,
  /** A read that counts as stale is older than a later version that its session had before. */
  STALE_READ,
  /** A put that counts as a lost update removed what its writer had not seen, and each such put. */
  LOST_UPDATE,
  /** The detector's intervals are those in which the store's versions make the terms true. */
  INTERVALS,
  /** Every violation of the history is reported, or lies in a coverage gap. */
  COVERING,
  /** No violation is reported that the history does not hold. */
  SOUND,
  /** A violation comes before the judgement that passes it. */
  JUDGED,
  /** The safe point never decreases, is judged, and no rollback discards a write up to it. */
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
  /** Without further faults all parts work again, and each plan ends. */
  LIVE,
  /** Production code threw what it never may. */
  NO_BUG
}

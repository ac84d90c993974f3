package io.palinode.wire.plan;

/** The phase of a plan, by the last step of the orchestrator in the log. */
public enum Phase {
  OPENED,
  PAUSING,
  RESTORING,
  CONVERGING,
  /** An operator must retry or abandon the plan. */
  HALTED;

  /** Whether the target can still move: no {@code Restore} is in the log. */
  public boolean isBeforeRestore() {
    return compareTo(RESTORING) < 0;
  }
}

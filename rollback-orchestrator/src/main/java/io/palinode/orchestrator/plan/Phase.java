package io.palinode.orchestrator.plan;

/** How far a plan has come, by the last of the orchestrator's steps in the log. */
public enum Phase {
  OPENED,
  PAUSING,
  RESTORING,
  CONVERGING,
  HALTED;

  /** The target may still move: no node has been told to restore. */
  public boolean isBeforeRestore() {
    return compareTo(RESTORING) < 0;
  }
}

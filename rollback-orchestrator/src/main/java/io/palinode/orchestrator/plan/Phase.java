package io.palinode.orchestrator.plan;

/** The phase of a plan, by the orchestrator's last step in the log. */
public enum Phase {
  OPENED,
  PAUSING,
  RESTORING,
  CONVERGING,
  HALTED;

  /** Whether the target can still move: no {@code Restore} is in the log. */
  public boolean isBeforeRestore() {
    return compareTo(RESTORING) < 0;
  }
}

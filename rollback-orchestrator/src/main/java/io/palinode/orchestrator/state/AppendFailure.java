package io.palinode.orchestrator.state;

/** Why a record is not in the control log, as far as it decides what comes next. */
public enum AppendFailure {
  /** Kafka did not acknowledge it in time. It may be in the log; a later try may succeed. */
  TRANSIENT,
  /** Kafka refuses this writer. The record is not in the log; a try succeeds after a grant. */
  REFUSED,
  /** The record itself cannot be in the log, as when it is too large. No try succeeds. */
  UNWRITABLE;

  /** The record is not in the log, and the next try would fail in the same way. */
  public boolean isPermanent() {
    return this != TRANSIENT;
  }
}

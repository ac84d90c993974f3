package io.palinode.orchestrator.request;

/** An operator's answer to a halted plan. */
public enum Intervention {
  /** The plan tries again. For a halt whose cause is fixed. */
  RETRY,
  /** The plan ends without a restore: nodes keep their data and the epoch begins. */
  ABANDON
}

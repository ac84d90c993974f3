package io.palinode.orchestrator.request;

/** How an operator wants to go on after a plan was halted. */
public enum Intervention {
  /** The same once more: for a halt whose cause is mended. */
  RETRY,
  /** The store stays as it is, the cut is not restored, and the epoch begins. */
  ABANDON
}

package io.palinode.store.control;

/** One step that a node owes the log or its store; the numbers distinguish steps of one kind. */
record Duty(Kind kind, long epoch, long number) {
  enum Kind {
    PAUSE,
    WATCH,
    SERVE,
    JOIN,
    TELL_SAFE_POINT,
    TELL_ACCESSES,
    RESTORE,
    NAME,
    CONTRIBUTE,
    CONVERGE
  }
}

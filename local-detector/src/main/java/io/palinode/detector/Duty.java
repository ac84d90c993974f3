package io.palinode.detector;

/** One thing that a node owes the log or its store; the numbers tell it from others of its kind. */
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

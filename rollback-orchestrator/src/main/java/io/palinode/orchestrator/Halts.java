package io.palinode.orchestrator;

/**
 * What came in a plan's way: how often it was halted, what an operator said, and what it does
 * instead.
 *
 * @param attemptsBefore attempts that were over then: they do not count against the next ones
 * @param abandoned whether the plan only keeps what is there, since it could not be carried out
 * @param cancelled whether it does since nobody wants it any more, before anything was undone
 */
public record Halts(
    int count, int attemptsBefore, boolean abandoned, boolean cancelled, Fallback fallback) {
  static final Halts NONE = new Halts(0, 0, false, false, Fallback.NONE);

  Halts more() {
    return new Halts(count + 1, attemptsBefore, abandoned, cancelled, fallback);
  }

  Halts answered(int attempts, boolean abandon) {
    return new Halts(count, attempts, abandon, cancelled, fallback.answered(abandon));
  }

  Halts asCancelled() {
    return new Halts(count, attemptsBefore, false, true, fallback);
  }

  Halts with(Fallback other) {
    return new Halts(count, attemptsBefore, abandoned, cancelled, other);
  }
}

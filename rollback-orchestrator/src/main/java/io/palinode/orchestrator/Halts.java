package io.palinode.orchestrator;

/**
 * How often a plan was halted, and what an operator said.
 *
 * @param attemptsBefore attempts that were over then: they do not count against the next ones
 * @param abandoned whether the plan only keeps what is there, since it could not be carried out
 * @param cancelled whether it does since nobody wants it any more, before anything was undone
 */
public record Halts(int count, int attemptsBefore, boolean abandoned, boolean cancelled) {
  static final Halts NONE = new Halts(0, 0, false, false);

  Halts more() {
    return new Halts(count + 1, attemptsBefore, abandoned, cancelled);
  }

  Halts answered(int attempts, boolean abandon) {
    return new Halts(count, attempts, abandon, cancelled);
  }

  Halts asCancelled() {
    return new Halts(count, attemptsBefore, false, true);
  }
}

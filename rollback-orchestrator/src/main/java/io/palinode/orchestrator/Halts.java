package io.palinode.orchestrator;

/**
 * How often a plan was halted, and what the operator said to the last one.
 *
 * @param attemptsBefore attempts that were over then: they do not count against the next ones
 * @param abandoned whether the plan only keeps what is there
 */
public record Halts(int count, int attemptsBefore, boolean abandoned) {
  static final Halts NONE = new Halts(0, 0, false);

  Halts more() {
    return new Halts(count + 1, attemptsBefore, abandoned);
  }

  Halts answered(int attempts, boolean abandon) {
    return new Halts(count, attempts, abandon);
  }
}

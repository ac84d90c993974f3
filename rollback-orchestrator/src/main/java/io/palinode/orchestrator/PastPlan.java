package io.palinode.orchestrator;

/**
 * A plan that was carried out: it opened {@code epoch}, and the store went back to {@code target}.
 *
 * @param clock every undo of the plan is at or before it on every node, and every write of the
 *     epoch after it
 */
public record PastPlan(long epoch, String predicate, long openedMicros, long target, long clock) {

  /**
   * Whether the plan took back what happened up to {@code hlc}, but was not yet done everywhere by
   * then: a cut there would bring it back, on some nodes or on all.
   */
  boolean isWithin(long hlc) {
    return target < hlc && hlc < clock;
  }
}

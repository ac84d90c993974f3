package io.palinode.detection.search;

import io.palinode.detection.trace.TraceHorizon;
import io.palinode.hvc.Grade;

/**
 * What is known of events that have not been seen: while they still arrive ({@link Knowledge}), or
 * when the whole trace is at hand ({@link TraceHorizon}).
 */
public interface Horizon {
  /**
   * Whether {@code i} ends, or may still turn out to end, too early for a pair of at least {@code
   * grade} with {@code j} ({@link io.palinode.hvc.Causality#endsTooEarly}); for {@link
   * Grade#UNCERTAIN}: before j. Two intervals are <em>certain</em> to be concurrent with a grade
   * when neither may end too early for it; that never changes.
   *
   * <p>Monotone: if it holds for j, it holds for every later interval of j's node, because later
   * starts are greater in every entry; and it holds for every higher grade. The search relies on
   * it.
   */
  boolean mayEndTooEarly(Retained i, Retained j, Grade grade);

  /** Whether {@code i} is closed, and before every interval that has not been seen. */
  boolean isPassed(Retained i);

  /** Whether all nodes' clocks must be later than an interval's end before it is passed. */
  default boolean passesByClocks() {
    return false;
  }

  /**
   * Whether an interval may still be ended by an event of another node. Then a later interval of a
   * queue may turn out to end before an earlier one, and their ends cannot be bisected.
   */
  default boolean mayEndElsewhere() {
    return false;
  }

  /**
   * Whether starts of one node rise in every entry. So it is with clocks that never go back; a
   * recorded trace may hold anything.
   */
  default boolean areStartsRising() {
    return false;
  }

  /** Whether the pair is certain to be concurrent with at least {@code grade}. */
  default boolean isCertain(Retained i, Retained j, Grade grade) {
    return !mayEndTooEarly(i, j, grade) && !mayEndTooEarly(j, i, grade);
  }
}

package io.palinode.detection;

import io.palinode.hvc.Grade;

/**
 * What is known of events that have not been seen: while they still arrive ({@link Knowledge}), or
 * when the whole trace is at hand ({@link TraceHorizon}).
 */
interface Horizon {
  /**
   * Whether {@code i} is before {@code j}, or may still turn out to be. Two intervals are
   * <em>certain</em> to be concurrent when neither may be before the other; that never changes.
   *
   * <p>Monotone: if it holds for j, it holds for every later interval of j's node, because later
   * starts are greater in every entry. The search relies on it.
   */
  boolean mayBeBefore(Retained i, Retained j);

  /** Whether {@code i} is closed, and before every interval that has not been seen. */
  boolean isPassed(Retained i);

  /** The grade of a pair that is certain to be concurrent, as far as it is known. */
  Grade grade(Retained i, Retained j);
}

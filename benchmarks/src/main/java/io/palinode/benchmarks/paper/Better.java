package io.palinode.benchmarks.paper;

/** Which of two figures is the better one. */
public enum Better {
  HIGHER,
  LOWER;

  /** Whether {@code figure} is better than {@code other}, and not equal. */
  boolean than(double figure, double other) {
    return this == HIGHER ? figure > other : figure < other;
  }
}

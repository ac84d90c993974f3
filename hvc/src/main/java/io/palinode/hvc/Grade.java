package io.palinode.hvc;

/**
 * How sure it is that two concurrent intervals, or all pairs of a witness, held at one moment; in
 * rising order.
 */
public enum Grade {
  /** One is causally before the other; only ε made them concurrent. */
  UNCERTAIN,
  /** Some execution that fits the clocks has a moment at which both held. */
  POSSIBLE,
  /** Every execution that fits the clocks has such a moment. */
  DEFINITE;

  /** 0 for the least, and one more for each that is higher. */
  public int rank() {
    return switch (this) {
      case UNCERTAIN -> 0;
      case POSSIBLE -> 1;
      case DEFINITE -> 2;
    };
  }

  public Grade least(Grade other) {
    return compareTo(other) <= 0 ? this : other;
  }

  public boolean atLeast(Grade other) {
    return compareTo(other) >= 0;
  }
}

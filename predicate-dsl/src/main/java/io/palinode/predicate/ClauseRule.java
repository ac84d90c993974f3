package io.palinode.predicate;

import java.math.BigDecimal;

/** Which of a clause's local predicates make it true, when they hold concurrently. */
public sealed interface ClauseRule {
  ClauseRule ALL = new All();

  /** All of them. */
  record All() implements ClauseRule {}

  /** Some {@code count} of them, whichever. */
  record AtLeast(int count) implements ClauseRule {}

  /** All of them, which are the variables of a sum that stands so to {@code limit}. */
  record Sum(Relation relation, Decimal limit) implements ClauseRule {
    /** Whether {@code sum} is what must not be. */
    public boolean holds(BigDecimal sum) {
      return relation.holds(sum.compareTo(limit.value()));
    }
  }

  /** How a sum stands to its limit. */
  enum Relation {
    BELOW,
    AT_MOST,
    EQUALS,
    AT_LEAST,
    ABOVE;

    /** {@code atMost}. */
    public String word() {
      return switch (this) {
        case BELOW -> "below";
        case AT_MOST -> "atMost";
        case EQUALS -> "equals";
        case AT_LEAST -> "atLeast";
        case ABOVE -> "above";
      };
    }

    /** Whether a lesser sum holds if a greater one does. */
    public boolean isUpperBound() {
      return this == BELOW || this == AT_MOST;
    }

    /** Whether a greater sum holds if a lesser one does. */
    public boolean isLowerBound() {
      return this == ABOVE || this == AT_LEAST;
    }

    private boolean holds(int compared) {
      return switch (this) {
        case BELOW -> compared < 0;
        case AT_MOST -> compared <= 0;
        case EQUALS -> compared == 0;
        case AT_LEAST -> compared >= 0;
        case ABOVE -> compared > 0;
      };
    }
  }
}

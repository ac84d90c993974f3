package io.palinode.predicate;

import java.math.BigDecimal;
import java.time.Duration;

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

    /** Whether it is the greatest sum that decides, not the least. */
    public boolean isLowerBound() {
      return relation == Relation.ABOVE || relation == Relation.AT_LEAST;
    }

    /** Whether a sum between {@code least} and {@code most} may be what must not be. */
    public boolean mayHold(BigDecimal least, BigDecimal most) {
      return switch (relation) {
        case BELOW, AT_MOST -> holds(least);
        case ABOVE, AT_LEAST -> holds(most);
        case EQUALS -> least.compareTo(limit.value()) <= 0 && most.compareTo(limit.value()) >= 0;
      };
    }
  }

  /**
   * Its one variable has been in different states on two of its replicas for longer than this.
   *
   * @param longerThan whole milliseconds, from 1 ms to 24 h
   */
  record ReplicasDiverged(Duration longerThan) implements ClauseRule {
    public static final Duration LONGER_THAN_MAX = Duration.ofHours(24);

    public ReplicasDiverged {
      if (longerThan.compareTo(Duration.ofMillis(1)) < 0
          || longerThan.compareTo(LONGER_THAN_MAX) > 0
          || !longerThan.equals(Duration.ofMillis(longerThan.toMillis()))) {
        throw new IllegalArgumentException(
            "longerThan must be whole milliseconds in [1ms, 24h]: longerThan="
                + Period.format(longerThan));
      }
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

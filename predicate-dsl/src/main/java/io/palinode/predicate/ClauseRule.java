package io.palinode.predicate;

import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which of a clause's local predicates make it true, when they hold concurrently. */
public sealed interface ClauseRule {
  ClauseRule ALL = new All();

  /** One interval alone is not distinct from another. */
  int DISTINCT_MIN = 2;

  /** Each further interval multiplies the combinations that a search tries. */
  int DISTINCT_MAX = 16;

  /** Of a sum: a violation names each of them, in one record. */
  int MEMBERS_MAX = 1_024;

  /** All of them. */
  record All() implements ClauseRule {}

  /**
   * Some {@code count} of them, whichever.
   *
   * @param distinct null; or the capture of the only term that {@code count} intervals bind
   *     differently. The other captures bind the instance
   */
  record AtLeast(int count, @Nullable String distinct) implements ClauseRule {
    public AtLeast {
      if (distinct != null && (count < DISTINCT_MIN || count > DISTINCT_MAX)) {
        throw new IllegalArgumentException(
            "count must be between %d and %d with distinct: count=%d"
                .formatted(DISTINCT_MIN, DISTINCT_MAX, count));
      }
    }

    /** Of different terms. */
    public AtLeast(int count) {
      this(count, null);
    }
  }

  /**
   * All of them, which are the variables of a sum that stands so to {@code limit}.
   *
   * @param times of each variable, what its value is multiplied by; never 0. Empty: by 1
   * @param members null; or which intervals of the only variable are added
   */
  record Sum(Relation relation, Decimal limit, List<Decimal> times, @Nullable Members members)
      implements ClauseRule {
    public static final Decimal ONCE = new Decimal(BigDecimal.ONE);

    /**
     * Some {@code count} intervals of one variable, whichever, that bind the capture {@code
     * distinct} differently. The other captures bind the instance.
     */
    public record Members(int count, String distinct) {
      public Members {
        if (count < DISTINCT_MIN || count > MEMBERS_MAX) {
          throw new IllegalArgumentException(
              "count must be between %d and %,d with distinct in a sum: count=%d"
                  .formatted(DISTINCT_MIN, MEMBERS_MAX, count));
        }
      }
    }

    public Sum {
      times = times.stream().map(Sum::requireTimes).toList();
      times = times.stream().allMatch(ONCE::equals) ? List.of() : times;
    }

    /** Of different variables. */
    public Sum(Relation relation, Decimal limit, List<Decimal> times) {
      this(relation, limit, times, null);
    }

    /** Each variable counts once. */
    public Sum(Relation relation, Decimal limit) {
      this(relation, limit, List.of());
    }

    /** Of one variable, in its normal form. Throws {@link IllegalArgumentException} for 0. */
    public static Decimal requireTimes(Decimal each) {
      if (each.value().signum() == 0) {
        throw new IllegalArgumentException(
            "times must not be 0, because the variable would not count: times=" + each);
      }
      return each.compareTo(ONCE) == 0 ? ONCE : each;
    }

    /** What the value of variable {@code term} is multiplied by. */
    public Decimal timesOf(int term) {
      return times.isEmpty() ? ONCE : times.get(term);
    }

    /** What {@code value} of variable {@code term} adds to the sum. */
    public BigDecimal amount(int term, BigDecimal value) {
      return times.isEmpty() ? value : value.multiply(times.get(term).value());
    }

    /** Throws {@link IllegalArgumentException} if it is not of {@code variables} variables. */
    void requireVariables(int variables) {
      if (!times.isEmpty() && times.size() != variables) {
        throw new IllegalArgumentException(
            "a sum must have one 'times' for each variable: times=%d variables=%d"
                .formatted(times.size(), variables));
      }
    }

    /** Whether {@code sum} is what must not be. */
    public boolean holds(BigDecimal sum) {
      return relation.holds(sum.compareTo(limit.value()));
    }

    /** Whether it holds of a sum that is small enough: the least one decides. */
    public boolean holdsBelow() {
      return relation.ifLess;
    }

    /** Whether it holds of a sum that is great enough: the greatest one decides. */
    public boolean holdsAbove() {
      return relation.ifGreater;
    }

    /** Whether a sum between {@code least} and {@code most} may be what must not be. */
    public boolean mayHold(BigDecimal least, BigDecimal most) {
      return switch (relation) {
        case BELOW, AT_MOST -> holds(least);
        case ABOVE, AT_LEAST -> holds(most);
        case NOT_EQUALS -> holds(least) || holds(most);
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

  /**
   * The second local predicate is true nowhere between the moment at which the first one becomes
   * true and this time after it.
   *
   * @param time whole milliseconds, from 1 ms to 24 h
   */
  record Within(Duration time) implements ClauseRule {
    public static final Duration TIME_MAX = Duration.ofHours(24);

    public Within {
      if (time.compareTo(Duration.ofMillis(1)) < 0
          || time.compareTo(TIME_MAX) > 0
          || !time.equals(Duration.ofMillis(time.toMillis()))) {
        throw new IllegalArgumentException(
            "time must be whole milliseconds in [1ms, 24h]: time=" + Period.format(time));
      }
    }

    public long micros() {
      return time.toMillis() * 1_000;
    }
  }

  /** How a sum compares with its limit, in the order of the documentation. */
  enum Relation {
    BELOW("below", true, false, false),
    AT_MOST("atMost", true, true, false),
    EQUALS("equals", false, true, false),
    NOT_EQUALS("notEquals", true, false, true),
    AT_LEAST("atLeast", false, true, true),
    ABOVE("above", false, false, true);

    /** The words of all relations. */
    public static final List<String> WORDS = Arrays.stream(values()).map(Relation::word).toList();

    private final String word;
    private final boolean ifLess;
    private final boolean ifEqual;
    private final boolean ifGreater;

    Relation(String word, boolean ifLess, boolean ifEqual, boolean ifGreater) {
      this.word = word;
      this.ifLess = ifLess;
      this.ifEqual = ifEqual;
      this.ifGreater = ifGreater;
    }

    /** {@code atMost}. */
    public String word() {
      return word;
    }

    private boolean holds(int compared) {
      return compared < 0 ? ifLess : compared == 0 ? ifEqual : ifGreater;
    }
  }
}

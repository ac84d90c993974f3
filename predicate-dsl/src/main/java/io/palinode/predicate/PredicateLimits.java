package io.palinode.predicate;

/**
 * How large a predicate may be when it is applied. Readers of applied predicates use {@link
 * #CEILING}.
 *
 * @param clausesMax clauses of a predicate
 * @param termsMax terms of a predicate, in all clauses together
 * @param clauseTermsMax terms of a clause
 * @param combinationsMax of the local predicates that make an {@code atLeast} true; each is looked
 *     for by itself
 */
public record PredicateLimits(
    int clausesMax, int termsMax, int clauseTermsMax, int combinationsMax) {
  public static final PredicateLimits DEFAULT = new PredicateLimits(10_000, 20_000, 64, 2_016);

  /** What the language can hold at all: with it, each element is still checked in bounded time. */
  public static final PredicateLimits CEILING =
      new PredicateLimits(100_000, 200_000, 4_096, 1_000_000);

  public PredicateLimits {
    requirePositive("clausesMax", clausesMax);
    requirePositive("termsMax", termsMax);
    requirePositive("clauseTermsMax", clauseTermsMax);
    requirePositive("combinationsMax", combinationsMax);
  }

  /** Throws {@link IllegalArgumentException} with the limit, its option, and the value. */
  public void require(Clause clause) {
    int terms = clause.terms().size();
    if (terms > clauseTermsMax) {
      throw new IllegalArgumentException(
          "a clause must have at most %d terms (--clause-terms-max): terms=%d"
              .formatted(clauseTermsMax, terms));
    }
    if (clause.rule() instanceof ClauseRule.AtLeast atLeast
        && atLeast.distinct() == null
        && Clause.hasMoreCombinations(clause.of().size(), atLeast.count(), combinationsMax)) {
      throw new IllegalArgumentException(
          "atLeast must have at most %d combinations (--combinations-max), each is looked for by itself: %d of %d have %s"
              .formatted(
                  combinationsMax,
                  atLeast.count(),
                  clause.of().size(),
                  Clause.combinations(clause.of().size(), atLeast.count())));
    }
  }

  /** As above, of all clauses together. */
  public void require(Predicate predicate) {
    requireAtMost("clauses", "--clauses-max", clausesMax, predicate.violation().size());
    int terms = predicate.violation().stream().mapToInt(clause -> clause.terms().size()).sum();
    requireAtMost("terms", "--terms-max", termsMax, terms);
  }

  private static void requireAtMost(String what, String option, int max, int count) {
    if (count > max) {
      throw new IllegalArgumentException(
          "a predicate must have at most %d %s (%s): %s=%d"
              .formatted(max, what, option, what, count));
    }
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
    }
  }
}

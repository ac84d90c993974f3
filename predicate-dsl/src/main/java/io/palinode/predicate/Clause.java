package io.palinode.predicate;

import io.palinode.predicate.template.Binding;
import io.palinode.predicate.text.Spelling;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Local predicates, and which of them are a violation when they hold concurrently.
 *
 * @param heldFor for how long they must hold together, in whole milliseconds; zero: for a moment
 */
public record Clause(ClauseRule rule, List<LocalPredicate> of, Duration heldFor) {
  /** Of the language; what is accepted is bounded by {@link PredicateLimits}. */
  public static final int TERMS_MAX = PredicateLimits.CEILING.clauseTermsMax();

  /** The longest time of {@code for}. */
  public static final Duration HELD_FOR_MAX = Duration.ofHours(24);

  public Clause {
    of = List.copyOf(of);
    int terms = of.stream().mapToInt(local -> local.terms().size()).sum();
    if (terms == 0) {
      throw new IllegalArgumentException("a clause needs at least one term");
    }
    if (terms > TERMS_MAX) {
      throw new IllegalArgumentException(
          "a clause must have at most " + TERMS_MAX + " terms: terms=" + terms);
    }
    if (rule instanceof ClauseRule.AtLeast atLeast) {
      requireParts(atLeast, of);
    }
    requireNumbers(rule, of);
    if (rule instanceof ClauseRule.Sum sum) {
      sum.requireVariables(of.size());
      if (sum.members() != null) {
        requireDistinct(sum.members().distinct(), of);
      }
    }
    requireState(rule, of);
    requireOperationAlone(rule, of, heldFor);
    if (rule instanceof ClauseRule.Within && (of.size() != 2 || terms != 2)) {
      throw new IllegalArgumentException(
          "within must have two terms, 'after' and 'missing', and no group: terms=" + terms);
    }
    if (!heldFor.isZero()) {
      requireHeldFor(heldFor);
      requireMayLast(rule);
    }
  }

  /** Of what holds for a moment. */
  public Clause(ClauseRule rule, List<LocalPredicate> of) {
    this(rule, of, Duration.ZERO);
  }

  /** A conjunction: all terms, each somewhere, concurrently. */
  public Clause(List<Term> terms) {
    this(ClauseRule.ALL, terms.stream().map(LocalPredicate::of).toList());
  }

  /** Of all local predicates, in their order. */
  public List<Term> terms() {
    return of.stream().flatMap(local -> local.terms().stream()).toList();
  }

  public ClauseShape shape() {
    return new ClauseShape(rule, of.stream().map(local -> local.terms().size()).toList(), heldFor);
  }

  /** Whether all its local predicates have to hold, and nothing else. */
  public boolean isConjunction() {
    return rule instanceof ClauseRule.All
        || (rule instanceof ClauseRule.AtLeast atLeast
            && distinct() == null
            && atLeast.count() == of.size());
  }

  /** The capture that its intervals bind differently; null if it has none. */
  public @Nullable String distinct() {
    if (rule instanceof ClauseRule.Sum sum) {
      return sum.members() == null ? null : sum.members().distinct();
    }
    return rule instanceof ClauseRule.AtLeast atLeast ? atLeast.distinct() : null;
  }

  /** Whether it is about a write that superseded a version unseen. */
  public boolean isOfLostUpdates() {
    return of.get(0).terms().get(0).isLostUpdate();
  }

  /** Whether it is about reads of sessions. */
  public boolean isOfReads() {
    return of.get(0).terms().get(0).isOfReads();
  }

  /** Whether it is about the operation that wrote or read a value. */
  public boolean isOfOperations() {
    return of.get(0).terms().get(0).isOfOperations();
  }

  /** Whether it is about the states of a variable's replicas. */
  public boolean isOfStates() {
    return rule instanceof ClauseRule.ReplicasDiverged;
  }

  /** Whether its second term must become true within a time after the first. */
  public boolean isWithin() {
    return rule instanceof ClauseRule.Within;
  }

  /** The instance that a term's binding belongs to: all of it but the capture of distinct. */
  public Binding instance(Binding all) {
    String distinct = distinct();
    return distinct == null ? all : all.without(distinct);
  }

  /** What a term's binding has besides its instance: the capture of distinct, if there is one. */
  public Binding member(Binding all) {
    String distinct = distinct();
    return distinct == null ? Binding.NONE : all.only(distinct);
  }

  public boolean hasGroups() {
    return of.stream().anyMatch(LocalPredicate::isGroup);
  }

  /** Throws {@link IllegalArgumentException} for a time that {@code for} cannot have. */
  public static void requireHeldFor(Duration heldFor) {
    if (heldFor.compareTo(Duration.ofMillis(1)) < 0
        || heldFor.compareTo(HELD_FOR_MAX) > 0
        || !heldFor.equals(Duration.ofMillis(heldFor.toMillis()))) {
      throw new IllegalArgumentException(
          "for must be whole milliseconds in [1ms, 24h]: for=" + Period.format(heldFor));
    }
  }

  /** Throws {@link IllegalArgumentException} if the rule cannot have a {@code for}. */
  public static void requireMayLast(ClauseRule rule) {
    if (rule instanceof ClauseRule.ReplicasDiverged) {
      throw new IllegalArgumentException(
          "replicasDiverged cannot have 'for', because it has its own time; say longerThan");
    }
    if (rule instanceof ClauseRule.Within) {
      throw new IllegalArgumentException(
          "within cannot have 'for', because it has its own time; say time");
    }
  }

  private static void requireParts(ClauseRule.AtLeast rule, List<LocalPredicate> of) {
    String distinct = rule.distinct();
    if (distinct == null) {
      requireCount(rule.count(), of.size());
    } else {
      requireDistinct(distinct, of);
    }
  }

  private static void requireDistinct(String distinct, List<LocalPredicate> of) {
    if (of.size() != 1 || of.get(0).isGroup()) {
      throw new IllegalArgumentException(
          "with distinct, 'of' must have exactly one term, and no group: terms="
              + of.stream().mapToInt(local -> local.terms().size()).sum());
    }
    Term term = of.get(0).terms().get(0);
    if (!term.captures().contains(distinct)) {
      throw new IllegalArgumentException(
          "distinct must name a capture of its term: '"
              + distinct
              + "' is not in '"
              + term.variable()
              + "'"
              + Spelling.hint(distinct, term.captures()));
    }
  }

  private static void requireCount(int count, int size) {
    if (count < 1 || count > size) {
      throw new IllegalArgumentException(
          "count must be between 1 and the size of 'of': count=" + count + " of=" + size);
    }
    int max = PredicateLimits.CEILING.combinationsMax();
    if (hasMoreCombinations(size, count, max)) {
      throw new IllegalArgumentException(
          "atLeast must have at most %d combinations, each is looked for by itself: %d of %d have %s"
              .formatted(max, count, size, combinations(size, count)));
    }
  }

  static boolean hasMoreCombinations(int size, int count, int max) {
    return combinations(size, count).compareTo(BigInteger.valueOf(max)) > 0;
  }

  static BigInteger combinations(int size, int count) {
    BigInteger combinations = BigInteger.ONE;
    for (int i = 0; i < count; i++) {
      combinations =
          combinations.multiply(BigInteger.valueOf(size - i)).divide(BigInteger.valueOf(i + 1L));
    }
    return combinations;
  }

  private static void requireState(ClauseRule rule, List<LocalPredicate> of) {
    boolean isOfStates = rule instanceof ClauseRule.ReplicasDiverged;
    List<Term> terms = of.stream().flatMap(local -> local.terms().stream()).toList();
    long states = terms.stream().filter(Term::isState).count();
    if (isOfStates ? states != 1 || terms.size() != 1 : states > 0) {
      throw new IllegalArgumentException(
          "replicasDiverged, and nothing else, is of one variable in any state: terms=" + terms);
    }
  }

  /** A node publishes such a term at its operation only, so nothing may be true of it later. */
  private static void requireOperationAlone(
      ClauseRule rule, List<LocalPredicate> of, Duration heldFor) {
    List<Term> terms = of.stream().flatMap(local -> local.terms().stream()).toList();
    boolean isAlone = terms.size() == 1 && rule instanceof ClauseRule.All && heldFor.isZero();
    for (Term term : terms) {
      if (!isAlone && term.isOfOperations()) {
        throw new IllegalArgumentException(
            term.comparison().word()
                + " must be the only term of an 'all' or 'any' without 'for', because nodes publish"
                + " it at its "
                + (term.isLostUpdate() ? "write" : "read")
                + " only; write another clause");
      }
    }
  }

  private static void requireNumbers(ClauseRule rule, List<LocalPredicate> of) {
    boolean isSum = rule instanceof ClauseRule.Sum;
    for (LocalPredicate local : of) {
      for (Term term : local.terms()) {
        boolean isNumber = term.comparison() instanceof Comparison.IsNumber;
        if (isSum != isNumber || (isSum && local.isGroup())) {
          throw new IllegalArgumentException(
              "a sum, and nothing else, is of variables without a comparison: " + term);
        }
      }
    }
  }
}

package io.palinode.predicate;

import io.palinode.predicate.text.Word;
import java.util.List;

/** The classes of predicates, by the algorithm that detects them; each holds the ones before it. */
public enum PredicateClass {
  /** One conjunction of local predicates. */
  CONJUNCTIVE,
  /** A cut that does not satisfy it names a node that has to advance. */
  LINEAR,
  /** As linear, with a choice among nodes: any disjunction of conjunctions. */
  SEMILINEAR,
  /** With a sum of variables that live on different nodes. */
  BOUNDED_SUM;

  /** The narrowest class that can express {@code violation}. */
  public static PredicateClass narrowest(List<Clause> violation) {
    if (violation.stream().anyMatch(clause -> clause.rule() instanceof ClauseRule.Sum)) {
      return BOUNDED_SUM;
    }
    return violation.size() == 1 && violation.get(0).isConjunction() ? CONJUNCTIVE : SEMILINEAR;
  }

  /**
   * Throws {@link IllegalArgumentException} with a counterexample when this class is too narrow.
   */
  public void requireFits(List<Clause> violation) {
    PredicateClass narrowest = narrowest(violation);
    if (compareTo(narrowest) < 0) {
      throw new IllegalArgumentException(
          "this violation is %s, not %s: %s; say type: %1$s, or leave type out"
              .formatted(Word.of(narrowest), Word.of(this), counterexample(narrowest, violation)));
    }
  }

  private static String counterexample(PredicateClass narrowest, List<Clause> violation) {
    if (narrowest == BOUNDED_SUM) {
      return "whether a sum is violated depends on all its variables at once, so of two nodes"
          + " neither alone has to advance";
    }
    if (violation.size() > 1) {
      return "clause 0 may hold on one cut and clause 1 on another, and neither on the cut before"
          + " both: clauses="
          + violation.size();
    }
    if (violation.get(0).isOfStates()) {
      return "nodes 0 and 1 may differ on one cut and 1 and 2 on another, and none on the cut before"
          + " both";
    }
    if (violation.get(0).isWithin()) {
      return "whether an answer is missing is known of no single cut, so no node has to advance";
    }
    ClauseRule.AtLeast atLeast = (ClauseRule.AtLeast) violation.get(0).rule();
    if (atLeast.distinct() != null) {
      return "%d bindings of '%s' may hold on one cut and others on another, and fewer on the cut before both"
          .formatted(atLeast.count(), atLeast.distinct());
    }
    return "%d of %d may hold on one cut and others on another, and fewer on the cut before both"
        .formatted(atLeast.count(), violation.get(0).of().size());
  }
}

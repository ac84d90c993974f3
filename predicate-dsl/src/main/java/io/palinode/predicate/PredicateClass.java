package io.palinode.predicate;

import java.util.List;
import java.util.Locale;

/** The classes of predicates, by the algorithm that detects them; each holds the ones before it. */
public enum PredicateClass {
  /** One conjunction of local predicates. */
  CONJUNCTIVE,
  /** A cut that does not satisfy it names a node that has to advance. */
  LINEAR,
  /** As linear, with a choice among nodes: any disjunction of conjunctions. */
  SEMILINEAR;

  /** The narrowest class that can express {@code violation}. */
  public static PredicateClass narrowest(List<Clause> violation) {
    return violation.size() == 1 ? CONJUNCTIVE : SEMILINEAR;
  }

  /** Throws {@link IllegalArgumentException} with the reason when this class is too narrow. */
  void requireFits(List<Clause> violation) {
    if (compareTo(narrowest(violation)) < 0) {
      throw new IllegalArgumentException(
          "a "
              + name().toLowerCase(Locale.ROOT)
              + " predicate must have one clause, a true clause is the violation and several are"
              + " semilinear: clauses="
              + violation.size());
    }
  }
}

package io.palinode.predicate;

/** The classes of predicates, by the algorithm that detects them. */
public enum PredicateClass {
  CONJUNCTIVE,
  LINEAR,
  SEMILINEAR
}

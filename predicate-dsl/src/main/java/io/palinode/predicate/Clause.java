package io.palinode.predicate;

import java.util.List;

/** A conjunction: all terms, each somewhere, concurrently. */
public record Clause(List<Term> terms) {
  public static final int TERMS_MAX = 64;

  public Clause {
    terms = List.copyOf(terms);
    if (terms.isEmpty()) {
      throw new IllegalArgumentException("a clause needs at least one term");
    }
    if (terms.size() > TERMS_MAX) {
      throw new IllegalArgumentException(
          "a clause must have at most " + TERMS_MAX + " terms: terms=" + terms.size());
    }
  }
}

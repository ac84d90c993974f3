package io.palinode.predicate;

import java.util.List;

/** A conjunction: all terms, each somewhere, concurrently. */
public record Clause(List<Term> terms) {
  public Clause {
    terms = List.copyOf(terms);
    if (terms.isEmpty()) {
      throw new IllegalArgumentException("a clause needs at least one term");
    }
  }
}

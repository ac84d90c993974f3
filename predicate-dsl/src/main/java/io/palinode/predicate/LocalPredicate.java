package io.palinode.predicate;

import java.util.List;

/**
 * What a clause combines: one term, or several that must hold together on one node ({@code on:
 * same-node}).
 */
public record LocalPredicate(List<Term> terms) {

  public LocalPredicate {
    terms = List.copyOf(terms);
    if (terms.isEmpty()) {
      throw new IllegalArgumentException("a group needs at least one term");
    }
  }

  public static LocalPredicate of(Term term) {
    return new LocalPredicate(List.of(term));
  }

  /** Whether its terms have to hold on one node. */
  public boolean isGroup() {
    return terms.size() > 1;
  }
}

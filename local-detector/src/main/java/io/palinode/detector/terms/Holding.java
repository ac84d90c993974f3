package io.palinode.detector.terms;

import io.palinode.detector.binding.Version;
import io.palinode.predicate.template.Binding;

/** That a version of a key makes a term true under a binding. */
public record Holding(WatchedTerm term, Binding binding, Version version) {
  /** With no more of the value than that; a decimal is never longer, without its white space. */
  public Holding beginning(int valueBytesMax) {
    Version begun = term.isAmount() ? version.stripped() : version.beginning(valueBytesMax);
    return new Holding(term, binding, begun);
  }

  /** The binding of the predicate's instance. */
  public Binding instance() {
    return term.instance(binding);
  }

  public boolean isSameTermAs(Holding other) {
    return term.equals(other.term) && binding.equals(other.binding);
  }
}

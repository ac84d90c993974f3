package io.palinode.detector;

import io.palinode.predicate.Binding;

/** That a version of a key makes a term true under a binding. */
record Holding(WatchedTerm term, Binding binding, Version version) {
  boolean isSameTermAs(Holding other) {
    return term.equals(other.term) && binding.equals(other.binding);
  }
}

package io.palinode.detector.terms;

import io.palinode.detector.binding.Evidence;
import io.palinode.detector.binding.Version;
import io.palinode.predicate.template.Binding;
import org.jspecify.annotations.Nullable;

/**
 * That a version of a key makes a term true under a binding.
 *
 * @param evidence of a term that no value shows; else null
 */
public record Holding(
    WatchedTerm term, Binding binding, Version version, @Nullable Evidence evidence) {
  /** Of a term that is true of the value. */
  public Holding(WatchedTerm term, Binding binding, Version version) {
    this(term, binding, version, null);
  }

  /** With no more of the value than that; a decimal is never longer, without its white space. */
  public Holding beginning(int valueBytesMax) {
    Version begun = term.isAmount() ? version.stripped() : version.beginning(valueBytesMax);
    return new Holding(
        term, binding, begun, evidence == null ? null : evidence.beginning(valueBytesMax));
  }

  /** The binding of the predicate's instance. */
  public Binding instance() {
    return term.instance(binding);
  }

  public boolean isSameTermAs(Holding other) {
    return term.equals(other.term) && binding.equals(other.binding);
  }
}

package io.palinode.detector.terms;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StaleRead;
import io.palinode.predicate.Clause;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Value;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A term of an active predicate, named by its place: clause and index count from 0. Equal by place.
 * Immutable.
 */
public final class WatchedTerm {
  private final String predicate;
  private final long version;
  private final int clause;
  private final int index;
  private final Clause of;
  private final Term term;

  /** What a binding must satisfy too. */
  private final List<Condition> where;

  /** The only value that makes the term true; null when there are others. */
  private final byte @Nullable [] literal;

  public WatchedTerm(ActivePredicate active, int clause, int index) {
    this.predicate = active.name();
    this.version = active.version();
    this.clause = clause;
    this.index = index;
    this.of = active.predicate().violation().get(clause);
    this.term = of.terms().get(index);
    this.where = active.predicate().where();
    this.literal = literal(term.comparison());
  }

  private static byte @Nullable [] literal(Comparison comparison) {
    return comparison instanceof Comparison.Equals equal && equal.captures().isEmpty()
        ? equal.value().prefix().getBytes(UTF_8)
        : null;
  }

  public String predicate() {
    return predicate;
  }

  public long version() {
    return version;
  }

  public int clause() {
    return clause;
  }

  public int index() {
    return index;
  }

  Term term() {
    return term;
  }

  public boolean isOf(ActivePredicate active) {
    return version == active.version() && predicate.equals(active.name());
  }

  /** Whether it compares replicas: each change of the key is published, and no interval opens. */
  public boolean isState() {
    return term.isState();
  }

  /** Whether it is true of a version that superseded one which its writer had not seen. */
  public boolean isLostUpdate() {
    return term.isLostUpdate();
  }

  /** Whether it is about the operation that wrote or read a value. */
  public boolean isOfOperations() {
    return term.isOfOperations();
  }

  /** Whether it is true of a version that a session read like this. */
  public boolean isMadeTrueBy(StaleRead read) {
    return term.comparison() instanceof Comparison.StaleRead
        || (term.comparison() instanceof Comparison.NonMonotonicRead && read.isAgain());
  }

  /** Whether its value is a decimal that a sum takes. */
  public boolean isAmount() {
    return term.comparison() instanceof Comparison.IsNumber;
  }

  /** Whether {@link #bind} needs the value as text. */
  boolean readsText() {
    return literal == null;
  }

  /** Whether {@code value} makes a term true that does not read text. */
  boolean isMadeTrueBy(byte[] value) {
    return Arrays.equals(literal, value);
  }

  /**
   * The binding under which {@code value} makes the term true for a key that matched with {@code
   * byKey}, or null if under none.
   */
  @Nullable Binding bind(Binding byKey, Value value) {
    Binding byValue = term.comparison().bind(value, byKey);
    return byValue == null ? null : byKey.join(byValue);
  }

  /** The instance of a binding of this term. */
  public Binding instance(Binding all) {
    return of.instance(all);
  }

  /** What a binding of this term has besides its instance; mostly nothing. */
  public Binding member(Binding all) {
    return of.member(all);
  }

  /** The first condition that a binding breaks, or null: only then does the term hold. */
  @Nullable Condition brokenBy(Binding binding) {
    for (int i = 0; i < where.size(); i++) {
      if (!where.get(i).holds(binding)) {
        return where.get(i);
      }
    }
    return null;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof WatchedTerm other
        && clause == other.clause
        && index == other.index
        && version == other.version
        && predicate.equals(other.predicate);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * clause + index) + predicate.hashCode();
  }

  @Override
  public String toString() {
    return predicate + " v" + version + " clause " + clause + " term " + index + ": " + term;
  }
}

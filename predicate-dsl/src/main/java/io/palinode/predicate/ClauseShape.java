package io.palinode.predicate;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * What detection needs of a clause: how many terms each of its local predicates has, and which of
 * these make it true. Terms count from 0 through all local predicates.
 *
 * @param heldFor for how long they must hold together; zero: for a moment
 */
public record ClauseShape(ClauseRule rule, List<Integer> termsOf, Duration heldFor) {
  public ClauseShape {
    termsOf = List.copyOf(termsOf);
    if (termsOf.isEmpty() || termsOf.stream().anyMatch(terms -> terms < 1)) {
      throw new IllegalArgumentException("a clause needs terms: terms=" + termsOf);
    }
    if (rule instanceof ClauseRule.Sum sum) {
      sum.requireVariables(termsOf.size());
    }
  }

  /** Of what holds for a moment. */
  public ClauseShape(ClauseRule rule, List<Integer> termsOf) {
    this(rule, termsOf, Duration.ZERO);
  }

  /** A conjunction of {@code terms} terms, each wherever. */
  public static ClauseShape all(int terms) {
    return new ClauseShape(ClauseRule.ALL, Collections.nCopies(terms, 1));
  }

  public int terms() {
    int terms = 0;
    for (int i = 0; i < termsOf.size(); i++) {
      terms += termsOf.get(i);
    }
    return terms;
  }

  /** Whether its intervals are of one term, and each of another member of it. */
  public boolean isDistinct() {
    return rule instanceof ClauseRule.Sum sum
        ? sum.members() != null
        : rule instanceof ClauseRule.AtLeast atLeast && atLeast.distinct() != null;
  }

  /** The most intervals that a violation of it names. */
  public int intervalsMax() {
    if (rule instanceof ClauseRule.Sum sum && sum.members() != null) {
      return sum.members().count();
    }
    return isDistinct() ? ((ClauseRule.AtLeast) rule).count() : terms();
  }

  /** Whether its intervals must hold together for some time, not only for a moment. */
  public boolean lasts() {
    return !heldFor.isZero();
  }

  /**
   * How long before a violation a rollback of it may go. Before the values of a sum stood, it may
   * have been wrong with other values, such as between the puts of a transfer.
   */
  public Duration goesBack() {
    return rule instanceof ClauseRule.Sum ? heldFor.multipliedBy(2) : heldFor;
  }

  /** Whether its second term must become true within a time after the first. */
  public boolean isWithin() {
    return rule instanceof ClauseRule.Within;
  }

  /** Whether it has terms that must hold on one node. */
  public boolean hasGroups() {
    return termsOf.stream().anyMatch(terms -> terms > 1);
  }
}

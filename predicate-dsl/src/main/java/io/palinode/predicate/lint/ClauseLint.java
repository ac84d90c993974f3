package io.palinode.predicate.lint;

import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Comparison.Equals;
import io.palinode.predicate.Period;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.Term;
import io.palinode.predicate.form.Written;
import io.palinode.predicate.lint.Lint.Check;
import io.palinode.predicate.lint.Lint.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How the terms of a clause, and the clauses of a predicate, stand to each other. */
final class ClauseLint {
  private static final Duration DIVERGED_USUAL_MIN = Duration.ofSeconds(1);

  private final Written written;
  private final List<Clause> clauses;
  private final List<Finding> findings = new ArrayList<>();

  private ClauseLint(Written written) {
    this.written = written;
    this.clauses = written.predicate().violation();
  }

  static List<Finding> findings(Written written) {
    ClauseLint lint = new ClauseLint(written);
    for (int clause = 0; clause < lint.clauses.size(); clause++) {
      lint.terms(clause);
      lint.divergedSoon(clause);
    }
    lint.clauses();
    return lint.findings;
  }

  private void divergedSoon(int clause) {
    if (clauses.get(clause).rule() instanceof ClauseRule.ReplicasDiverged diverged
        && diverged.longerThan().compareTo(DIVERGED_USUAL_MIN) < 0) {
      findings.add(
          new Finding(
              Check.DIVERGED_SOON,
              written,
              written.clause(clause),
              "a copy that takes longer than %s to arrive is reported, though it is only late"
                  .formatted(Period.format(diverged.longerThan())),
              "say a longer time than copies, hints and read repair take, such as 5s"));
    }
  }

  private void terms(int clause) {
    if (clauses.get(clause).rule() instanceof ClauseRule.Sum) {
      // A variable that is added twice counts twice.
      return;
    }
    boolean onlyTogether = clauses.get(clause).isConjunction();
    List<Term> terms = clauses.get(clause).terms();
    for (int later = 1; later < terms.size(); later++) {
      int same = terms.indexOf(terms.get(later));
      if (same < later) {
        repeated(clause, same, later);
      } else if (onlyTogether && written.predicate().replicas() == ReplicaRule.FIRST) {
        onlySiblings(clause, later);
      }
    }
  }

  private void repeated(int clause, int first, int later) {
    findings.add(
        new Finding(
            Check.REPEATED_TERM,
            written,
            written.term(clause, later),
            "term %d of clause %d repeats term %d: it holds whenever that does, and asks for no second key or node"
                .formatted(later, clause, first),
            "leave it out, or compare another key"));
  }

  /** Of each term, the first one before that it goes with only so. */
  private void onlySiblings(int clause, int later) {
    List<Term> terms = clauses.get(clause).terms();
    for (int first = 0; first < later; first++) {
      if (areOfOneKeyWithTwoValues(terms.get(first), terms.get(later))) {
        findings.add(
            new Finding(
                Check.ONLY_SIBLINGS,
                written,
                written.term(clause, later),
                "terms %d and %d of clause %d ask for two values of one key, which with replicas: first it has only in concurrent versions (siblings)"
                    .formatted(first, later, clause),
                "compare two keys; or replicas: any, if the replicas are meant; or ignore this, if"
                    + " siblings are"));
        return;
      }
    }
  }

  /** Without captures in the values, the key has all of them: an instance has one such key. */
  private static boolean areOfOneKeyWithTwoValues(Term one, Term other) {
    return one.variable().equals(other.variable())
        && one.comparison() instanceof Equals first
        && other.comparison() instanceof Equals second
        && first.captures().isEmpty()
        && second.captures().isEmpty()
        && !first.equals(second);
  }

  /** O(clauses · clauses with a term in common). */
  private void clauses() {
    List<Set<Term>> sets = new ArrayList<>();
    Map<Term, List<Integer>> clausesWith = new HashMap<>();
    for (int clause = 0; clause < clauses.size(); clause++) {
      Set<Term> set = termsOfConjunction(clauses.get(clause));
      sets.add(set);
      for (Term term : set) {
        clausesWith.computeIfAbsent(term, unseen -> new ArrayList<>()).add(clause);
      }
    }
    int[] shared = new int[clauses.size()];
    for (int clause = 0; clause < clauses.size(); clause++) {
      Integer implying = implying(clause, sets, clausesWith, shared);
      if (implying != null) {
        superfluous(clause, implying, sets.get(clause).size() == sets.get(implying).size());
      }
    }
  }

  /** Empty for a clause that says more than that its terms hold. */
  private static Set<Term> termsOfConjunction(Clause clause) {
    boolean plain = clause.isConjunction() && !clause.hasGroups() && !clause.shape().lasts();
    return plain ? new HashSet<>(clause.terms()) : Set.of();
  }

  /**
   * The first other clause whose terms are all in {@code clause}; of equal ones, only an earlier
   * one. {@code shared} is all zero, before and after.
   */
  private static @Nullable Integer implying(
      int clause, List<Set<Term>> sets, Map<Term, List<Integer>> clausesWith, int[] shared) {
    Integer least = null;
    for (Term term : sets.get(clause)) {
      for (int other : clausesWith.getOrDefault(term, List.of())) {
        int size = sets.get(other).size();
        boolean candidate = size < sets.get(clause).size() || other < clause;
        if (++shared[other] == size && candidate && (least == null || other < least)) {
          least = other;
        }
      }
    }
    for (Term term : sets.get(clause)) {
      clausesWith.getOrDefault(term, List.of()).forEach(other -> shared[other] = 0);
    }
    return least;
  }

  private void superfluous(int clause, int implying, boolean isRepeated) {
    findings.add(
        new Finding(
            isRepeated ? Check.REPEATED_CLAUSE : Check.IMPLIED_CLAUSE,
            written,
            written.clause(clause),
            isRepeated
                ? "clause %d repeats clause %d".formatted(clause, implying)
                : "clause %d is true only where clause %d is, which has fewer terms"
                    .formatted(clause, implying),
            "leave it out"));
  }
}

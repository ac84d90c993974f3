package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.Predicate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the protocol needs of a version of a predicate.
 *
 * @param onViolation null: the predicate was deleted, and its violations cause nothing
 * @param termsPerClause {@code get(c)} is the number of terms of clause c
 */
public record Policy(
    String predicate,
    long version,
    @Nullable OnViolation onViolation,
    List<Integer> termsPerClause) {

  public Policy {
    termsPerClause = List.copyOf(termsPerClause);
  }

  public static Policy of(Predicate predicate, long version) {
    List<Integer> terms = predicate.violation().stream().map(c -> c.terms().size()).toList();
    return new Policy(predicate.name(), version, predicate.onViolation(), terms);
  }

  public static Policy deleted(String predicate, long version) {
    return new Policy(predicate, version, null, List.of());
  }

  boolean rollsBack() {
    return onViolation != null && onViolation.rollbackTo() != null;
  }

  boolean rollsBack(Grade grade) {
    return rollsBack() && onViolation != null && grade.atLeast(onViolation.rollbackOn());
  }

  boolean alerts(Grade grade) {
    return onViolation != null
        && !onViolation.alerts().isEmpty()
        && grade.atLeast(onViolation.alertOn());
  }

  List<String> destinations() {
    return onViolation == null ? List.of() : onViolation.alerts();
  }

  boolean goesBeforeFirstWitness() {
    return onViolation != null
        && onViolation.rollbackTo() == OnViolation.RollbackTarget.BEFORE_FIRST_WITNESS;
  }
}

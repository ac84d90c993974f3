package io.palinode.detector.terms;

import io.palinode.predicate.OnViolation.RollbackScope;
import io.palinode.predicate.Predicate;

/** A predicate that is watched for, in one version; name and version together are never reused. */
public record ActivePredicate(String name, long version, Predicate predicate) {
  public ActivePredicate {
    if (name.isEmpty() || version < 1) {
      throw new IllegalArgumentException(
          "an active predicate has a name and a version from 1: name='"
              + name
              + "' version="
              + version);
    }
  }

  /** Whether a node publishes its state of each key. */
  public boolean comparesReplicas() {
    return predicate.violation().get(0).isOfStates();
  }

  /** Whether a violation depends on what did not happen. */
  public boolean asksForAnswers() {
    return predicate.violation().get(0).isWithin();
  }

  /** Whether its rollbacks depend on the access log. */
  public boolean undoesOnlySome() {
    return predicate.onViolation().rollbackTo() != null
        && predicate.onViolation().rollbacks().scope() == RollbackScope.AFFECTED;
  }

  public boolean isSameVersionAs(ActivePredicate other) {
    return version == other.version && name.equals(other.name);
  }
}

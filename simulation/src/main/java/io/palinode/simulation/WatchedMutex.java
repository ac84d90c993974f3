package io.palinode.simulation;

import io.palinode.detector.ActivePredicate;
import io.palinode.predicate.Predicates;
import java.util.List;

/**
 * What a cluster watches for: two clients are in the critical section of the edge between them.
 * Immutable.
 *
 * @param joins whether the replicas of one version are one interval
 */
record WatchedMutex(boolean joins, String target, ActivePredicate predicate) {
  static final String NAME = "mutex";

  static final List<WatchedMutex> ALL =
      List.of(
          of(false, "before-violation"),
          of(false, "before-first-witness"),
          of(true, "before-violation"),
          of(true, "before-first-witness"));

  private static WatchedMutex of(boolean joins, String target) {
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: mutex}
        spec:
          forEach: {edge: "{a}_{b}"}
          replicas: %s
          violation:
            - all:
                - {var: "cs_{a}_{b}_{a}", equals: "1"}
                - {var: "cs_{a}_{b}_{b}", equals: "1"}
          onViolation:
            rollback: {to: %s}
        """
            .formatted(joins ? "first" : "any", target);
    return new WatchedMutex(
        joins, target, new ActivePredicate(NAME, 1, Predicates.parse(yaml, NAME)));
  }

  @Override
  public String toString() {
    return "replicas=" + (joins ? "first" : "any") + " to=" + target;
  }
}

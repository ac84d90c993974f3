package io.palinode.simulation;

import io.palinode.detector.ActivePredicate;
import io.palinode.predicate.Predicates;

/**
 * What the cluster watches for: two clients are in the critical section of the edge between them.
 */
enum WatchedMutex {
  ANY_REPLICA("any", "before-violation"),
  ANY_REPLICA_TO_FIRST_WITNESS("any", "before-first-witness"),
  FIRST_REPLICA("first", "before-violation"),
  FIRST_REPLICA_TO_FIRST_WITNESS("first", "before-first-witness");

  static final String NAME = "mutex";

  private final String replicas;
  private final String target;
  private final ActivePredicate predicate;

  WatchedMutex(String replicas, String target) {
    this.replicas = replicas;
    this.target = target;
    this.predicate = new ActivePredicate(NAME, 1, Predicates.parse(yaml(replicas, target), NAME));
  }

  private static String yaml(String replicas, String target) {
    return """
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
        .formatted(replicas, target);
  }

  ActivePredicate predicate() {
    return predicate;
  }

  /** Whether the replicas of one version are one interval. */
  boolean joins() {
    return this == FIRST_REPLICA || this == FIRST_REPLICA_TO_FIRST_WITNESS;
  }

  @Override
  public String toString() {
    return "replicas=" + replicas + " to=" + target;
  }
}

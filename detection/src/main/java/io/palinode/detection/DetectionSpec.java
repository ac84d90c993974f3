package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.ReplicaRule;
import java.util.List;

/**
 * What an instance's detection needs of its predicate. {@code termsPerClause.get(c)} is the number
 * of terms of clause c.
 */
public record DetectionSpec(
    int nodes, List<Integer> termsPerClause, Causality causality, ReplicaRule replicas) {
  public DetectionSpec {
    termsPerClause = List.copyOf(termsPerClause);
    if (nodes < 1 || nodes > Hvc.NODES_MAX) {
      throw new IllegalArgumentException(
          "nodes must be in [1, " + Hvc.NODES_MAX + "]: nodes=" + nodes);
    }
    if (termsPerClause.isEmpty() || termsPerClause.stream().anyMatch(terms -> terms < 1)) {
      throw new IllegalArgumentException(
          "a predicate has clauses, and a clause has terms: terms per clause=" + termsPerClause);
    }
  }

  /** Throws {@link IllegalArgumentException} for a candidate of another predicate or cluster. */
  void require(Candidate candidate) {
    int clause = candidate.clause();
    if (clause >= termsPerClause.size() || candidate.term() >= termsPerClause.get(clause)) {
      throw new IllegalArgumentException(
          "a candidate is of a term of the predicate: terms per clause="
              + termsPerClause
              + " clause="
              + clause
              + " term="
              + candidate.term());
    }
    Hvc end = candidate.interval().end();
    requireSize(candidate.interval().start());
    if (end != null) {
      requireSize(end);
    }
  }

  private void requireSize(Hvc hvc) {
    if (hvc.nodes() != nodes) {
      throw new IllegalArgumentException(
          "an HVC of this cluster has " + nodes + " entries: hvc=" + hvc);
    }
  }
}

package io.palinode.detection;

import io.palinode.hvc.Causality;
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
  }
}

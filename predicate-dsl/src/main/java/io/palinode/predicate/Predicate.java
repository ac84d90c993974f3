package io.palinode.predicate;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What must not happen: a violation in disjunctive normal form. It is violated when, for some
 * binding of its captures, all terms of some clause held concurrently.
 *
 * @param epsilon the cluster's when null
 * @param forEach names for capture templates; empty when the predicate is one instance
 */
public record Predicate(
    String name,
    Map<String, String> labels,
    PredicateClass type,
    @Nullable Epsilon epsilon,
    Uncertainty uncertainty,
    ReplicaRule replicas,
    Map<String, Template> forEach,
    List<Clause> violation,
    OnViolation onViolation) {

  public Predicate {
    labels = java.util.Collections.unmodifiableMap(new TreeMap<>(labels));
    forEach = java.util.Collections.unmodifiableMap(new TreeMap<>(forEach));
    violation = List.copyOf(violation);
  }
}

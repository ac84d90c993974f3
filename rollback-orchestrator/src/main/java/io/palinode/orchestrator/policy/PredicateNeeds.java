package io.palinode.orchestrator.policy;

import io.palinode.predicate.Clause;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a predicate needs of the nodes. Immutable.
 *
 * @param operation the word of a term about operations of clients, which nodes must judge; empty:
 *     it has none
 * @param prefixes how its keys begin, which nodes must be able to restore for a rollback
 * @param stores those that its terms name
 */
public record PredicateNeeds(String operation, List<String> prefixes, Set<String> stores) {
  public static final PredicateNeeds NONE = new PredicateNeeds("", List.of(), Set.of());

  public static PredicateNeeds of(Predicate predicate) {
    List<Term> terms =
        predicate.violation().stream().map(Clause::terms).flatMap(Collection::stream).toList();
    return new PredicateNeeds(
        predicate.violation().stream()
            .filter(Clause::isOfOperations)
            .map(clause -> clause.terms().get(0).comparison().word())
            .findFirst()
            .orElse(""),
        terms.stream().map(term -> term.variable().prefix()).distinct().toList(),
        terms.stream()
            .map(Term::store)
            .filter(Objects::nonNull)
            .collect(Collectors.toUnmodifiableSet()));
  }
}

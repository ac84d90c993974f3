package io.palinode.orchestrator.policy;

import io.palinode.predicate.Clause;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.v1.PredicateRecord;
import java.util.List;

/** What a predicate needs of the nodes. */
public final class PredicateNeeds {
  /** The words of terms about operations of clients. */
  private static final List<String> OPERATIONS =
      List.of("lostUpdate", "staleRead", "nonMonotonicRead");

  private PredicateNeeds() {}

  /** Returns the word of a term about operations of clients, which nodes must judge; or "". */
  public static String operation(Predicate predicate) {
    return predicate.violation().stream()
        .filter(Clause::isOfOperations)
        .map(clause -> clause.terms().get(0).comparison().word())
        .findFirst()
        .orElse("");
  }

  /** Parses only what may have one: a large predicate takes seconds. */
  public static String operation(PredicateRecord record) {
    boolean mayHave =
        !record.getDeleted() && OPERATIONS.stream().anyMatch(record.getYaml()::contains);
    try {
      return mayHave ? operation(parse(record.getYaml(), record.getName())) : "";
    } catch (PredicateException unreadable) {
      // No part watches it, and its policy was logged.
      return "";
    }
  }

  /** Returns how its keys begin, which nodes must be able to restore for a rollback. */
  public static List<String> prefixes(Predicate predicate) {
    return predicate.violation().stream()
        .flatMap(clause -> clause.terms().stream())
        .map(term -> term.variable().prefix())
        .distinct()
        .toList();
  }

  /** As {@link #prefixes(Predicate)}. May take seconds. */
  public static List<String> prefixes(String yaml, String name) {
    return prefixes(parse(yaml, name));
  }

  private static Predicate parse(String yaml, String name) {
    return Predicates.parse(yaml, name, PredicateLimits.CEILING);
  }
}

package io.palinode.cli.explain;

import io.palinode.detection.DetectionLimits;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a predicate is detected and what that costs: the Javadoc of {@link InstanceDetector} and of
 * the search for cliques, said of one predicate.
 */
final class DetectionTopics {
  private static final String TRIED =
      " Values are tried depth first, and left as soon as what is to come cannot make up the rest.";

  private final Predicate predicate;

  /** In the largest clause. */
  private final int terms;

  DetectionTopics(Predicate predicate) {
    this.predicate = predicate;
    this.terms =
        predicate.violation().stream().mapToInt(clause -> clause.terms().size()).max().orElse(0);
  }

  Topic predicateClass() {
    List<String> sentences = new ArrayList<>();
    PredicateClass narrowest = PredicateClass.narrowest(predicate.violation());
    sentences.add(word(narrowest) + ": " + reason(narrowest));
    if (predicate.type() != narrowest) {
      sentences.add(
          "Its type is %s, a class that holds the %s ones; what runs is the same."
              .formatted(word(predicate.type()), word(narrowest)));
    }
    return new Topic("class", sentences);
  }

  private String reason(PredicateClass narrowest) {
    int clauses = predicate.violation().size();
    return switch (narrowest) {
      case CONJUNCTIVE -> "there is one clause, and all of it must hold.";
      case LINEAR -> throw new IllegalStateException("nothing in the language is only linear");
      case BOUNDED_SUM -> "the sum of variables on different nodes depends on all of them at once.";
      case SEMILINEAR ->
          diverged() != null
              ? "some two of the replicas are enough, whichever."
              : clauses == 1
                  ? "some of the terms are enough, whichever."
                  : "%s are a disjunction. Each is detected by itself."
                      .formatted(Shown.count(clauses, "clause"));
    };
  }

  Topic algorithm() {
    List<String> sentences = new ArrayList<>();
    if (diverged() != null) {
      return DivergenceTopics.algorithm(diverged(), predicate.epsilon());
    }
    if (terms == 1) {
      sentences.add(
          (predicate.violation().size() == 1 ? "There is one term" : "Every clause has one term")
              + ": each interval "
              + (has(ClauseRule.Sum.class) ? "whose value breaks the bound" : "in which it holds")
              + " is a violation by itself.");
      return new Topic("algorithm", sentences);
    }
    if (has(ClauseRule.All.class) || has(ClauseRule.AtLeast.class)) {
      sentences.add(
          "Weak conjunctive detection (Garg and Waldecker)"
              + (predicate.violation().size() == 1 ? ":" : " of each clause by itself:")
              + " with a queue for each term, the first interval that ends too early for the first"
              + " of another queue is in no violation of what is left, and is passed. What cannot"
              + " be passed is a violation.");
    }
    if (has(ClauseRule.AtLeast.class)) {
      sentences.add(
          "Of at least k terms, each combination that holds somewhere is looked for so"
              + " (two at once is the semilinear predicate of Chase and Garg).");
    }
    if (has(ClauseRule.Sum.class)) {
      sentences.add(sum());
    }
    if (terms > 2) {
      sentences.add(
          "A term that holds on several nodes has a queue on each. Queues are chosen depth first,"
              + " and a choice is given up as soon as it holds no violation. At worst that takes"
              + " time exponential in the terms (the problem is NP-complete), so a search is stopped"
              + " after a number of steps, and that is told as lost coverage.");
    }
    return new Topic("algorithm", sentences);
  }

  private String sum() {
    boolean equals =
        predicate.violation().stream()
            .anyMatch(
                clause ->
                    clause.rule() instanceof ClauseRule.Sum sum
                        && sum.relation() == ClauseRule.Relation.EQUALS);
    if (equals) {
      return "Whether concurrent values add up to a number exactly is NP-complete (a subset sum)."
          + TRIED;
    }
    return predicate.replicas() == ReplicaRule.FIRST
        ? "The values of each variable alone mostly rule a sum out. Where they do not, its version's"
            + " end may still be another node's, so no cut is certain to be the least."
            + TRIED
        : "Of a sum, the consistent cut with the least (or greatest) one is found by a minimum cut"
            + " (Chase and Garg), once the values of each variable alone do not rule it out.";
  }

  private ClauseRule.@Nullable ReplicasDiverged diverged() {
    return predicate.violation().get(0).rule() instanceof ClauseRule.ReplicasDiverged rule
        ? rule
        : null;
  }

  private boolean has(Class<? extends ClauseRule> rule) {
    return predicate.violation().stream().anyMatch(clause -> rule.isInstance(clause.rule()));
  }

  Topic cost() {
    if (diverged() != null) {
      return DivergenceTopics.cost();
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "A candidate, which is an interval that opens or ends, costs "
            + (predicate.replicas() == ReplicaRule.FIRST
                ? "O(retained * nodes)"
                : "O(nodes * log retained)")
            + ", and one search for each interval that it made certain; retained is what its"
            + " instance keeps.");
    if (has(ClauseRule.Sum.class)) {
      sentences.add(
          "Most searches for a sum end after O(retained): the least and greatest values decide."
              + (predicate.replicas() == ReplicaRule.FIRST
                  ? " Trying ends after a number of steps, and that is told as lost coverage."
                  : " A minimum cut is polynomial: O(retained * retained * k) at worst for k"
                      + " variables on a node each."));
    } else if (terms == 2) {
      sentences.add("While nothing is violated, a search is O(nodes * log retained).");
    } else if (terms > 2) {
      sentences.add(
          "A search is O(k * k * retained) for one choice of queues, k = %d being the terms of the"
                  .formatted(terms)
              + " largest clause. What waits is compared with what is over, too.");
    }
    sentences.add(
        "Where something is violated, there is a search for each grade and each interval that a"
            + " report can still improve on.");
    return new Topic("cost", sentences);
  }

  Topic memory() {
    if (diverged() != null) {
      return DivergenceTopics.memory();
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        ("An instance keeps at most %s intervals%s. Beyond that the oldest goes unjudged, and that"
                + " is told as lost coverage.")
            .formatted(
                Shown.number(DetectionLimits.DEFAULT.intervalsMax()),
                predicate.violation().size() == 1 ? "" : " in all clauses together"));
    sentences.add(
        "A closed one is dropped when it is before all that is to come and nothing that waits may"
            + " involve it.");
    Epsilon epsilon = predicate.epsilon();
    if (epsilon == null || epsilon.isInfinite()) {
      sentences.add(
          (epsilon == null ? "Where the cluster's epsilon is inf" : "As epsilon is inf")
              + ", only what every node has shown to know of is dropped.");
    }
    return new Topic("memory", sentences);
  }

  Topic replicas() {
    if (diverged() != null) {
      return DivergenceTopics.replicas();
    }
    return new Topic(
        "replicas",
        List.of(
            switch (predicate.replicas()) {
              case FIRST ->
                  "first: a version makes one interval, from the first node that accepted it to the"
                      + " first that accepted a version superseding it.";
              case ANY ->
                  "any: every replica's interval counts by itself, so a replica that lags can make a"
                      + " violation that no client caused.";
            }));
  }

  Topic uncertainty() {
    if (diverged() != null) {
      return DivergenceTopics.uncertainty();
    }
    Epsilon epsilon = predicate.epsilon();
    String sentence;
    if (predicate.uncertainty() == Uncertainty.CAUSAL) {
      sentence = "causal: what is causally ordered is never called concurrent.";
    } else if (epsilon != null && epsilon.isInfinite()) {
      sentence = "conservative, but epsilon is inf: only causal order counts, as with causal.";
    } else {
      sentence =
          "conservative: what is ordered, but closer than %s, counts as concurrent, with grade uncertain%s."
              .formatted(
                  epsilon == null ? "the cluster's epsilon" : epsilon,
                  epsilon == null ? "; where that is inf, only causal order counts" : "");
    }
    return new Topic("uncertainty", List.of(sentence));
  }

  private static String word(PredicateClass type) {
    return type.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

package io.palinode.detection.explain;

import io.palinode.detection.DetectionLimits;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a predicate is detected and what that costs: the Javadoc of {@code InstanceDetector} and of
 * the search for cliques, said of one predicate.
 */
final class DetectionTopics {
  private static final String TRIED =
      " The search tries values depth first, and leaves a branch that can no longer reach the bound.";

  private final Predicate predicate;

  /** The most intervals that a violation names. */
  private final int terms;

  DetectionTopics(Predicate predicate) {
    this.predicate = predicate;
    this.terms =
        predicate.violation().stream()
            .mapToInt(clause -> clause.shape().intervalsMax())
            .max()
            .orElse(0);
  }

  Topic predicateClass() {
    List<String> sentences = new ArrayList<>();
    PredicateClass narrowest = PredicateClass.narrowest(predicate.violation());
    sentences.add(word(narrowest) + ": " + reason(narrowest));
    if (predicate.type() != narrowest) {
      sentences.add(
          "Its type is %s, a class that includes the %s ones; detection is the same."
              .formatted(word(predicate.type()), word(narrowest)));
    }
    return new Topic("class", sentences);
  }

  private String reason(PredicateClass narrowest) {
    int clauses = predicate.violation().size();
    return switch (narrowest) {
      case CONJUNCTIVE -> "there is one clause, and all its terms must hold.";
      case LINEAR -> throw new IllegalStateException("nothing in the language is only linear");
      case BOUNDED_SUM -> "the sum depends on variables of several nodes at once.";
      case SEMILINEAR ->
          within() != null
              ? "whether an answer is missing is known of no single cut."
              : diverged() != null
                  ? "any two of the replicas suffice."
                  : clauses == 1 && distinct() != null
                      ? "any sufficient number of the bindings of %s makes the clause true."
                          .formatted(distinct())
                      : clauses == 1
                          ? "any sufficient number of the terms makes the clause true."
                          : "%s are a disjunction. Each is detected by itself."
                              .formatted(Shown.count(clauses, "clause"));
    };
  }

  Topic algorithm() {
    List<String> sentences = new ArrayList<>();
    if (diverged() != null) {
      return DivergenceTopics.algorithm(diverged(), predicate.epsilon());
    }
    if (within() != null) {
      return WithinTopics.algorithm(within(), predicate.epsilon());
    }
    if (isOfOperations()) {
      return OperationTopics.algorithm(hasPuts(), hasReads());
    }
    if (lasts()) {
      sentences.add(
          "With for, the intervals of a term on one node that follow each other without a break are"
              + " one run. A run counts from that time after its start on, and is then searched as"
              + " an interval. All events are judged once the progress of all nodes has passed"
              + " them.");
      if (sumLasts()) {
        sentences.add(
            "A run of a variable of a sum has one value. A write of another value ends it, so a sum"
                + " is found only while none of its values changes for that time.");
      }
    }
    if (terms == 1) {
      sentences.add(
          (predicate.violation().size() == 1 ? "There is one term" : "Every clause has one term")
              + ": each interval "
              + (has(ClauseRule.Sum.class) ? "whose value breaks the bound" : "in which it holds")
              + (lasts() ? " for long enough" : "")
              + " is a violation by itself.");
      return new Topic("algorithm", sentences);
    }
    if (has(ClauseRule.All.class) || has(ClauseRule.AtLeast.class)) {
      sentences.add(
          "Weak conjunctive detection (Garg and Waldecker)"
              + (predicate.violation().size() == 1 ? ":" : " of each clause by itself:")
              + " each term has a queue of intervals. If the first interval of a queue ends before the"
              + " first of another queue, it is in no further violation and is removed. If none"
              + " can be removed, the first intervals are a violation.");
    }
    if (total() != null) {
      sentences.add(
          "Each binding of %s that has an interval counts as a variable. Up to %s of them are one sum. Of more, they are chosen depth first, and a choice that can no longer reach the bound is left."
              .formatted(total().distinct(), Shown.number(total().count())));
    } else if (distinct() != null) {
      sentences.add(
          "With distinct, each binding of %s that has an interval counts as a term. Bindings are chosen depth first, and a choice without a violation is left."
              .formatted(distinct()));
    } else if (has(ClauseRule.AtLeast.class)) {
      sentences.add(
          "For at least k terms, each combination that holds is searched in this way"
              + " (two at once is the semilinear predicate of Chase and Garg).");
    }
    if (has(ClauseRule.Sum.class)) {
      sentences.add(sum());
    }
    if (terms > 2) {
      sentences.add(
          "A term that holds on several nodes has a queue on each. The search chooses queues depth"
              + " first, and leaves a choice that has no violation. The worst case is exponential"
              + " in the terms (the problem is NP-complete): a search stops after a number of steps,"
              + " and a coverage gap is published.");
    }
    return new Topic("algorithm", sentences);
  }

  private String sum() {
    if (hasSum(ClauseRule.Relation.EQUALS)) {
      return "Whether concurrent values add up to a number exactly is NP-complete (a subset sum)."
          + " Bounds, a common divisor, and all sums of a few variables exclude most searches."
          + TRIED
          + " After a number of steps it stops: in a cluster with a coverage gap, in 'palinode"
          + " detect' as unknown (--search-steps-max).";
    }
    return predicate.replicas() == ReplicaRule.FIRST
        ? "The least and greatest values of the variables mostly exclude a violation. If not, another"
            + " node may still end a version, so no cut is certain to be the least."
            + TRIED
        : "The least and greatest values of the variables mostly exclude a violation. If not, a"
            + " minimum cut finds the consistent cut with the least (or greatest) sum (Chase and Garg)."
            + (hasSum(ClauseRule.Relation.NOT_EQUALS)
                ? " With notEquals it finds both: the sum is another number if either is."
                : "");
  }

  private boolean hasSum(ClauseRule.Relation relation) {
    return predicate.violation().stream()
        .anyMatch(
            clause -> clause.rule() instanceof ClauseRule.Sum sum && sum.relation() == relation);
  }

  /** Of the first clause that has one. */
  private @Nullable String distinct() {
    for (Clause clause : predicate.violation()) {
      String distinct = clause.distinct();
      if (distinct != null) {
        return distinct;
      }
    }
    return null;
  }

  /** Of the first sum that has them. */
  private ClauseRule.Sum.@Nullable Members total() {
    for (Clause clause : predicate.violation()) {
      if (clause.rule() instanceof ClauseRule.Sum sum && sum.members() != null) {
        return sum.members();
      }
    }
    return null;
  }

  private ClauseRule.@Nullable ReplicasDiverged diverged() {
    return predicate.violation().get(0).rule() instanceof ClauseRule.ReplicasDiverged rule
        ? rule
        : null;
  }

  private ClauseRule.@Nullable Within within() {
    return predicate.violation().get(0).rule() instanceof ClauseRule.Within rule ? rule : null;
  }

  private boolean isOfOperations() {
    return predicate.violation().stream().allMatch(Clause::isOfOperations);
  }

  private boolean hasPuts() {
    return predicate.violation().stream().anyMatch(Clause::isOfLostUpdates);
  }

  private boolean hasReads() {
    return predicate.violation().stream().anyMatch(Clause::isOfReads);
  }

  private boolean lasts() {
    return predicate.violation().stream().anyMatch(clause -> clause.shape().lasts());
  }

  private boolean sumLasts() {
    return predicate.violation().stream()
        .anyMatch(clause -> clause.rule() instanceof ClauseRule.Sum && clause.shape().lasts());
  }

  private boolean has(Class<? extends ClauseRule> rule) {
    return predicate.violation().stream().anyMatch(clause -> rule.isInstance(clause.rule()));
  }

  Topic cost() {
    if (diverged() != null) {
      return DivergenceTopics.cost();
    }
    if (within() != null) {
      return WithinTopics.cost();
    }
    if (isOfOperations()) {
      return OperationTopics.cost(hasPuts(), hasReads());
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "A candidate, which is an interval that opens or ends, costs "
            + (predicate.replicas() == ReplicaRule.FIRST
                ? "O(retained * nodes)"
                : "O(nodes * log retained)")
            + ", and one search for each interval whose order it decides; retained is the number of"
            + " intervals that the instance keeps.");
    if (total() != null) {
      sentences.add(
          "Most searches end at once: the least and greatest values of all bindings of %s are kept added up. Other searches and each violation cost O(count * nodes) at least, count = %s."
              .formatted(total().distinct(), Shown.number(total().count())));
    } else if (has(ClauseRule.Sum.class)) {
      sentences.add(
          "Most searches for a sum end after O(retained): the least and greatest values decide."
              + (predicate.replicas() == ReplicaRule.FIRST || hasSum(ClauseRule.Relation.EQUALS)
                  ? " A trial stops after a number of steps, and a coverage gap is published."
                  : " A minimum cut is polynomial: O(retained * retained * k) at worst for k"
                      + " variables on a node each."));
    } else if (distinct() != null) {
      sentences.add(
          "While nothing is violated, a search is O(members * nodes * log retained); members are the bindings of %s with a retained interval.%s"
              .formatted(
                  distinct(),
                  terms == 2
                      ? ""
                      : " After that it is exponential in the count: a search stops after a number of steps, and a coverage gap is published."));
    } else if (terms == 2) {
      sentences.add("While nothing is violated, a search is O(nodes * log retained).");
    } else if (terms > 2) {
      sentences.add(
          "A search is O(k * k * retained) for one choice of queues, k = %d being the terms of the"
                  .formatted(terms)
              + " largest clause. Waiting intervals are compared with closed ones too.");
    }
    sentences.add(
        "After a violation, there is a search for each grade and each interval that can still raise"
            + " a grade.");
    return new Topic("cost", sentences);
  }

  Topic memory() {
    if (diverged() != null) {
      return DivergenceTopics.memory();
    }
    if (within() != null) {
      return WithinTopics.memory();
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        ("An instance keeps at most %s intervals%s. Beyond that the oldest is not judged, and a"
                + " coverage gap is published.")
            .formatted(
                Shown.number(DetectionLimits.DEFAULT.intervalsMax()),
                predicate.violation().size() == 1 ? "" : " in all clauses together"));
    if (lasts()) {
      sentences.add(
          "Events that wait for the progress, and runs that are still too short, count too.");
    }
    sentences.add(
        "A closed interval is dropped when it is before all later intervals and in no waiting"
            + " search.");
    Epsilon epsilon = predicate.epsilon();
    if (epsilon == null || epsilon.isInfinite()) {
      sentences.add(
          (epsilon == null ? "If the cluster's epsilon is inf" : "As epsilon is inf")
              + ", it is dropped only after the clocks of all nodes have passed its end.");
    }
    return new Topic("memory", sentences);
  }

  Topic replicas() {
    if (diverged() != null) {
      return DivergenceTopics.replicas();
    }
    if (within() != null) {
      return WithinTopics.replicas();
    }
    if (isOfOperations()) {
      return OperationTopics.replicas(hasReads());
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
    if (within() != null) {
      return WithinTopics.uncertainty();
    }
    if (isOfOperations()) {
      return OperationTopics.uncertainty();
    }
    Epsilon epsilon = predicate.epsilon();
    String sentence;
    if (predicate.uncertainty() == Uncertainty.CAUSAL) {
      sentence = "causal: causally ordered intervals are never concurrent.";
    } else if (epsilon != null && epsilon.isInfinite()) {
      sentence = "conservative, but epsilon is inf: only causal order counts, as with causal.";
    } else {
      sentence =
          "conservative: ordered intervals closer than %s count as concurrent, with grade uncertain%s."
              .formatted(
                  epsilon == null ? "the cluster's epsilon" : epsilon,
                  epsilon == null ? "; if that is inf, only causal order counts" : "");
    }
    return new Topic("uncertainty", List.of(sentence));
  }

  private static String word(PredicateClass type) {
    return type.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

package io.palinode.detection.explain;

import io.palinode.detection.DetectionLimits;
import io.palinode.hvc.Epsilon;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Period;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a predicate with {@code within} means and costs. */
final class WithinTopics {
  private WithinTopics() {}

  static String violation(ClauseRule.Within rule, Clause clause) {
    return "1 clause, 2 terms. It is violated when %s becomes true, and %s is true on no node within %s after that."
        .formatted(
            Explanation.shown(clause.terms().get(0)),
            Explanation.shown(clause.terms().get(1)),
            Period.format(rule.time()));
  }

  static Topic algorithm(ClauseRule.Within rule, @Nullable Epsilon epsilon) {
    return new Topic(
        "algorithm",
        List.of(
            ("Each interval of the first term waits until all nodes' progress has passed its start"
                    + " by %s and %s. Then it is judged: it needs an interval of the second term that"
                    + " began before that time was over and did not end before it.")
                .formatted(
                    Period.format(rule.time()),
                    epsilon == null ? "the cluster's epsilon" : "epsilon, " + epsilon),
            "If an answer may have been missed, as in a coverage gap, it is not judged, and a"
                + " coverage gap is published."));
  }

  static Topic cost() {
    return new Topic(
        "cost",
        List.of(
            "A candidate costs O(retained); retained is the number of intervals that the instance"
                + " keeps. One search for each interval of the first term, of O(retained)."));
  }

  static Topic memory() {
    return new Topic(
        "memory",
        List.of(
            ("An instance keeps at most %s intervals: those of the first term that wait, and those"
                    + " of the second that are open or may answer one. Beyond that the oldest is not"
                    + " judged, and a coverage gap is published.")
                .formatted(Shown.number(DetectionLimits.DEFAULT.intervalsMax()))));
  }

  static Topic replicas() {
    return new Topic(
        "replicas",
        List.of(
            "any: an answer counts on any replica. The first term counts on the node that accepted"
                + " its version first."));
  }

  static Topic uncertainty() {
    return new Topic(
        "uncertainty",
        List.of(
            "A violation is definite if no answer can be in time by clocks within epsilon, and"
                + " possible if one can. No violation is uncertain."));
  }
}

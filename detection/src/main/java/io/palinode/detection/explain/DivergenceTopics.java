package io.palinode.detection.explain;

import io.palinode.hvc.Epsilon;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a predicate about diverging replicas means and costs. */
final class DivergenceTopics {
  private DivergenceTopics() {}

  static String violation(ClauseRule.ReplicasDiverged rule, Clause clause) {
    return "1 clause. It is violated when two replicas of %s disagree for longer than %s: in their versions or values, or in whether the key is there."
        .formatted(Explanation.shown(clause.terms().get(0)), period(rule.longerThan()));
  }

  static Topic algorithm(ClauseRule.ReplicasDiverged rule, @Nullable Epsilon epsilon) {
    return new Topic(
        "algorithm",
        List.of(
            "The job applies candidates in the order of time. Two replicas are apart for as long as"
                + " one has kept a state that the other has not had meanwhile.",
            ("When that has lasted %s and %s longer, and every node's progress has reached that"
                    + " time, it is reported: once, until all replicas have agreed again.")
                .formatted(
                    period(rule.longerThan()),
                    epsilon == null ? "the cluster's epsilon" : "epsilon, " + epsilon + ","),
            "A key that a node has not published is absent there, once the node has published"
                + " every key that it has."));
  }

  static Topic cost() {
    return new Topic(
        "cost",
        List.of(
            "Each write of such a key costs its node a SHA-256 of the key's siblings and one"
                + " candidate, on each replica; detection O(replicas).",
            "A node publishes all its keys of the predicate when the predicate is applied, at its"
                + " start, and after each rollback. This takes as long as reading the store."));
  }

  static Topic memory() {
    return new Topic(
        "memory",
        List.of(
            "Detection keeps one state per replica of each present key, and shares equal contents:"
                + " some 0.6 kB per key with three replicas, and 2 kB for some seconds after a write."
                + " A key that is absent on all replicas is forgotten. A node keeps nothing.",
            "A subtask keeps at most --instances-max instances (default 100,000);"
                + " further instances are not judged, and a coverage gap is published."));
  }

  static Topic replicas() {
    return new Topic("replicas", List.of("any: the state of each replica counts separately."));
  }

  static Topic uncertainty() {
    return new Topic(
        "uncertainty",
        List.of(
            "It says nothing here. A report waits epsilon longer, so it is definite; where epsilon"
                + " is inf, it does not, and is possible."));
  }

  private static String period(Duration period) {
    long ms = period.toMillis();
    return ms % 1_000 == 0 ? Shown.number(ms / 1_000) + " s" : Shown.number(ms) + " ms";
  }
}

package io.palinode.cli.explain;

import io.palinode.hvc.Epsilon;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a predicate says of replicas that diverge, and what that costs. */
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
            "What nodes tell is applied in the order of time. Two replicas are apart since one has"
                + " had one state ever since and the other has not had that one at any moment.",
            ("When that has lasted %s and %s longer, and every node is known to have told all"
                    + " until then, it is reported: once, until all replicas have agreed again.")
                .formatted(
                    period(rule.longerThan()),
                    epsilon == null ? "the cluster's epsilon" : "epsilon, " + epsilon + ","),
            "What a node has told nothing of is absent there, once the node has told every key that"
                + " it has."));
  }

  static Topic cost() {
    return new Topic(
        "cost",
        List.of(
            "Each write of such a key costs its node a SHA-256 of the key's siblings and one"
                + " candidate, on each replica; detection O(replicas).",
            "A node tells every such key that it has when the predicate comes, when it starts, and"
                + " after each rollback, which takes as long as reading the store."));
  }

  static Topic memory() {
    return new Topic(
        "memory",
        List.of(
            "Detection keeps a state a replica of each such key that is there, and what they carry"
                + " once where they agree: some 0.6 kB a key with three replicas, and 2 kB for a while"
                + " after it was written. A key that is absent on all of them is forgotten. A node"
                + " keeps nothing.",
            "A subtask keeps as many instances as --instances-max says, 100,000 if it says nothing;"
                + " what is beyond is not judged, and that is told as lost coverage."));
  }

  static Topic replicas() {
    return new Topic("replicas", List.of("any: what each replica has counts by itself."));
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

package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.ReplicaRule;
import java.util.List;

/** What an instance's detection needs of its predicate. */
public record DetectionSpec(
    int nodes, List<ClauseShape> clauses, Causality causality, ReplicaRule replicas) {
  public DetectionSpec {
    clauses = List.copyOf(clauses);
    if (nodes < 1 || nodes > Hvc.NODES_MAX) {
      throw new IllegalArgumentException(
          "nodes must be in [1, " + Hvc.NODES_MAX + "]: nodes=" + nodes);
    }
    if (clauses.isEmpty()) {
      throw new IllegalArgumentException("a predicate needs clauses");
    }
    if (replicas == ReplicaRule.FIRST && clauses.stream().anyMatch(ClauseShape::hasGroups)) {
      throw new IllegalArgumentException(
          "terms on the same node need replicas: any: clauses=" + clauses);
    }
    if (clauses.stream().anyMatch(ClauseShape::isWithin)) {
      requireWithin(clauses, causality, replicas);
    }
    if (replicas == ReplicaRule.FIRST && clauses.stream().anyMatch(ClauseShape::lasts)) {
      throw new IllegalArgumentException(
          "a clause with 'for' needs replicas: any, because it measures how long a term holds on one"
              + " node");
    }
  }

  private static void requireWithin(
      List<ClauseShape> clauses, Causality causality, ReplicaRule replicas) {
    if (clauses.size() > 1 || replicas == ReplicaRule.FIRST) {
      throw new IllegalArgumentException(
          "within must be the only clause, with replicas: any: clauses=" + clauses.size());
    }
    if (causality.epsilon().isInfinite()) {
      throw new IllegalArgumentException(
          "within compares times of different nodes, so epsilon must not be inf");
    }
  }

  /** {@code epsilon} is used where the predicate names none. */
  public static DetectionSpec of(Predicate predicate, int nodes, Epsilon epsilon) {
    return new DetectionSpec(
        nodes,
        predicate.violation().stream().map(Clause::shape).toList(),
        new Causality(
            predicate.epsilon() == null ? epsilon : predicate.epsilon(), predicate.uncertainty()),
        predicate.replicas());
  }

  /** Throws {@link IllegalArgumentException} for a term that the predicate does not have. */
  public void requireTerm(int clause, int term) {
    boolean known = clause >= 0 && clause < clauses.size();
    if (!known || term < 0 || term >= clauses.get(clause).terms()) {
      throw new IllegalArgumentException(
          "a term must be one of the predicate's: terms per clause="
              + clauses.stream().map(ClauseShape::terms).toList()
              + " clause="
              + clause
              + " term="
              + term);
    }
  }

  /** Whether intervals of some clause must hold together for some time. */
  public boolean lasts() {
    for (int clause = 0; clause < clauses.size(); clause++) {
      if (clauses.get(clause).lasts()) {
        return true;
      }
    }
    return false;
  }

  /**
   * The clock from which the candidate's interval counts: its start, later by {@code for} if the
   * clause has that.
   */
  public Hvc countsFrom(Candidate candidate) {
    Hvc start = candidate.interval().start();
    ClauseShape clause = clauses.get(candidate.clause());
    return clause.lasts() ? causality.delayed(start, clause.heldFor().toNanos() / 1_000) : start;
  }

  /** Whether the clause's terms are variables of a sum. */
  public boolean isSum(int clause) {
    return clauses.get(clause).rule() instanceof ClauseRule.Sum;
  }

  /** Whether a term must become true within a time after another, which is then its one clause. */
  public boolean isWithin() {
    return clauses.get(0).isWithin();
  }

  /** Throws {@link IllegalArgumentException} when it is not {@link #isWithin}. */
  public ClauseRule.Within within() {
    if (clauses.get(0).rule() instanceof ClauseRule.Within rule) {
      return rule;
    }
    throw new IllegalArgumentException("a deadline is of within: clauses=" + clauses);
  }

  /** Whether it is about the states of replicas, which is then all that it is about. */
  public boolean isOfStates() {
    return clauses.get(0).rule() instanceof ClauseRule.ReplicasDiverged;
  }

  /** Throws {@link IllegalArgumentException} when it is not {@link #isOfStates}. */
  public ClauseRule.ReplicasDiverged divergence() {
    if (clauses.get(0).rule() instanceof ClauseRule.ReplicasDiverged rule) {
      return rule;
    }
    throw new IllegalArgumentException("a divergence is of replicasDiverged: clauses=" + clauses);
  }

  /** Throws {@link IllegalArgumentException} for a candidate of no replica's state. */
  public ReplicaState stateOf(Candidate candidate) {
    ReplicaState state = candidate.state();
    if (state == null) {
      throw new IllegalArgumentException(
          "a candidate of replicasDiverged needs the replica's state: " + candidate.id());
    }
    return state;
  }

  /** Throws {@link IllegalArgumentException} for a candidate of another predicate or cluster. */
  public void require(Candidate candidate) {
    requireTerm(candidate.clause(), candidate.term());
    if (isSum(candidate.clause()) && candidate.amount() == null) {
      throw new IllegalArgumentException(
          "a candidate of a sum needs the variable's value: " + candidate.id());
    }
    if (clauses.get(candidate.clause()).isDistinct() == candidate.member().isEmpty()) {
      throw new IllegalArgumentException(
          "a candidate must have a member if its clause has distinct, else none: member="
              + candidate.member());
    }
    if (isOfStates()) {
      requireNodes(stateOf(candidate));
    }
    Hvc end = candidate.interval().end();
    requireSize(candidate.interval().start());
    if (end != null) {
      requireSize(end);
    }
  }

  private void requireNodes(ReplicaState state) {
    if (state.replicas().stream().anyMatch(node -> node < 0 || node >= nodes)) {
      throw new IllegalArgumentException(
          "replicas must be nodes of a cluster of " + nodes + ": replicas=" + state.replicas());
    }
  }

  private void requireSize(Hvc hvc) {
    if (hvc.nodes() != nodes) {
      throw new IllegalArgumentException(
          "an HVC of this cluster has " + nodes + " entries: hvc=" + hvc);
    }
  }
}

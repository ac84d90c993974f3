package io.palinode.orchestrator.plan;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The present phase of a plan, and the answers of nodes in it. Immutable.
 *
 * @param target of the last {@code Restore}; before the first, of {@code PlanOpened}
 * @param sinceMicros when the phase began, by the orchestrator's clock
 * @param acked nodes that have completed the phase
 * @param holding terms that hold on the cut, in the order of the log
 * @param failure why a node could not restore, or why the plan halted; empty: neither
 */
record PlanPhase(
    long target, long sinceMicros, Set<Integer> acked, List<CutPiece> holding, String failure) {
  /** A phase without answers. */
  static PlanPhase begun(long target, long micros) {
    return new PlanPhase(target, micros, Set.of(), List.of(), "");
  }

  PlanPhase to(long nextTarget) {
    return new PlanPhase(nextTarget, sinceMicros, acked, holding, failure);
  }

  PlanPhase acked(int node) {
    Set<Integer> more = new HashSet<>(acked);
    more.add(node);
    return ackedBy(Collections.unmodifiableSet(more));
  }

  PlanPhase ackedBy(Set<Integer> nodes) {
    return new PlanPhase(target, sinceMicros, nodes, holding, failure);
  }

  PlanPhase holding(CutPiece piece) {
    List<CutPiece> more = Stream.concat(holding.stream(), Stream.of(piece)).toList();
    return new PlanPhase(target, sinceMicros, acked, more, failure);
  }

  PlanPhase failed(String reason) {
    return new PlanPhase(target, sinceMicros, acked, holding, reason);
  }
}

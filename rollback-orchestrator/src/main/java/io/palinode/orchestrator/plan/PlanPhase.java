package io.palinode.orchestrator.plan;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The phase of a plan, and the answers of its nodes in this phase. Immutable.
 *
 * @param attempt 0 before the first restore
 * @param target of the last {@code Restore}, or of {@code PlanOpened} before the first
 * @param sinceMicros when the phase began, by the orchestrator's clock
 * @param results the nodes' answers in this phase
 */
record PlanPhase(Phase phase, int attempt, long target, long sinceMicros, Results results) {
  /**
   * The nodes' answers in one phase.
   *
   * @param acked nodes that have completed the phase
   * @param holding terms that hold on the cut, in the order of the log
   * @param failure why a node could not restore, or why the plan halted; empty: neither
   */
  record Results(Set<Integer> acked, List<CutPiece> holding, String failure) {
    static final Results NONE = new Results(Set.of(), List.of(), "");
  }

  /** Another phase of the same attempt. */
  PlanPhase then(Phase next, long micros) {
    return new PlanPhase(next, attempt, target, micros, Results.NONE);
  }

  /** The first phase of another attempt. */
  PlanPhase restoring(int nextAttempt, long nextTarget, long micros) {
    return new PlanPhase(Phase.RESTORING, nextAttempt, nextTarget, micros, Results.NONE);
  }

  PlanPhase acked(int node) {
    Set<Integer> more = new HashSet<>(results.acked);
    more.add(node);
    return ackedBy(Collections.unmodifiableSet(more));
  }

  PlanPhase ackedBy(Set<Integer> nodes) {
    return with(new Results(nodes, results.holding, results.failure));
  }

  PlanPhase holding(CutPiece piece) {
    List<CutPiece> more = Stream.concat(results.holding.stream(), Stream.of(piece)).toList();
    return with(new Results(results.acked, more, results.failure));
  }

  PlanPhase failed(String reason) {
    return with(new Results(results.acked, results.holding, reason));
  }

  private PlanPhase with(Results next) {
    return new PlanPhase(phase, attempt, target, sinceMicros, next);
  }
}

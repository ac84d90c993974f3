package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Abandon;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How an operator ends a plan that nodes cannot carry out. Immutable.
 *
 * @param asked the operator's {@code Abandon} that follows the halt; null: an operator decides
 * @param asIs the epoch begins with the data that each node has; replicas may differ
 * @param stopped nodes that do not run, by the operator's word: the plan does not wait for them
 */
public record Ending(@Nullable Abandon asked, boolean asIs, Set<Integer> stopped) {
  static final Ending NONE = new Ending(null, false, Set.of());

  public Ending {
    stopped = Set.copyOf(stopped);
  }

  Ending asking(@Nullable Abandon abandon) {
    return new Ending(abandon, asIs, stopped);
  }

  static Ending answered(Abandon abandon) {
    return abandon.getAsIs() ? new Ending(null, true, Set.copyOf(abandon.getStoppedList())) : NONE;
  }

  /** Whether every node is in {@code answered}, or does not run. */
  public boolean isAll(Set<Integer> answered, int nodes) {
    return IntStream.range(0, nodes).allMatch(n -> answered.contains(n) || stopped.contains(n));
  }
}

package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Abandon;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How an operator ends a plan that nodes cannot carry out. Immutable.
 *
 * @param asked the {@code Abandon} to append after the halt; null: an operator decides
 * @param stopped nodes that an operator has declared stopped: the plan does not wait for them
 */
public record Ending(@Nullable Abandon asked, Set<Integer> stopped) {
  static final Ending NONE = new Ending(null, Set.of());

  public Ending {
    stopped = Set.copyOf(stopped);
  }

  Ending asking(@Nullable Abandon abandon) {
    return new Ending(abandon, stopped);
  }

  static Ending answered(Abandon abandon) {
    return abandon.getAsIs() ? new Ending(null, Set.copyOf(abandon.getStoppedList())) : NONE;
  }

  /** Whether each node is in {@code answered} or is declared stopped. */
  public boolean isAll(Set<Integer> answered, int nodes) {
    return IntStream.range(0, nodes).allMatch(n -> answered.contains(n) || stopped.contains(n));
  }
}

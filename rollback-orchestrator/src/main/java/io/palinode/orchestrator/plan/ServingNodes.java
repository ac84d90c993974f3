package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Paused;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes that serve the epoch of the latest plan. Immutable.
 *
 * @param epoch the plan's
 * @param announced nodes that acknowledge when they serve; nodes of earlier releases count as
 *     serving once the plan resumed
 * @param serving nodes that have acknowledged
 * @param resumedMicros when the plan was resumed, wall clock; 0: not resumed
 */
public record ServingNodes(
    long epoch, Set<Integer> announced, Set<Integer> serving, long resumedMicros) {
  public static final ServingNodes NONE = new ServingNodes(0, Set.of(), Set.of(), 0);

  public ServingNodes {
    announced = Set.copyOf(announced);
    serving = Set.copyOf(serving);
  }

  public static ServingNodes opened(long epoch) {
    return new ServingNodes(epoch, Set.of(), Set.of(), 0);
  }

  public ServingNodes paused(Paused ack) {
    Set<Integer> more = new TreeSet<>(announced);
    boolean changed =
        ack.getAcknowledgesServing() ? more.add(ack.getNode()) : more.remove(ack.getNode());
    return changed ? new ServingNodes(epoch, more, serving, resumedMicros) : this;
  }

  public ServingNodes resumed(long atMicros) {
    return new ServingNodes(epoch, announced, serving, atMicros);
  }

  /** With an acknowledgement. Those before the resume, or of another epoch, change nothing. */
  public ServingNodes serving(long ofEpoch, int node) {
    if (resumedMicros == 0 || ofEpoch != epoch || !announced.contains(node)) {
      return this;
    }
    Set<Integer> more = new TreeSet<>(serving);
    return more.add(node) ? new ServingNodes(epoch, announced, more, resumedMicros) : this;
  }

  /** The nodes that do not serve the epoch yet, ascending; empty while a plan is open. */
  public List<Integer> missing() {
    return resumedMicros == 0
        ? List.of()
        : announced.stream().filter(node -> !serving.contains(node)).sorted().toList();
  }

  /** The rollback, shown as resuming until every node serves its epoch. */
  public Rollback shown(Rollback rollback) {
    return rollback.epoch() == epoch && !missing().isEmpty() ? rollback.resuming() : rollback;
  }
}

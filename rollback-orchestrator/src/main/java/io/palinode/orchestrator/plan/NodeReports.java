package io.palinode.orchestrator.plan;

import io.palinode.hvc.PointInTime;
import io.palinode.wire.v1.Paused;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The clocks and reaches that nodes report during a plan, in all its attempts. Immutable.
 *
 * @param paused nodes that have paused
 * @param quietSince the earliest HLC at which a node paused: every undo is later; {@link
 *     Long#MAX_VALUE} before
 * @param reach by node: the latest reach that it reported
 * @param clock the greatest HLC that a node reported after its pause or its converging; 0 before
 * @param branchEnd all nodes began to undo after this HLC, as far as they have answered; 0:
 *     unknown, or not so
 */
record NodeReports(
    Set<Integer> paused, long quietSince, Map<Integer, Long> reach, long clock, long branchEnd) {
  static final NodeReports NONE = new NodeReports(Set.of(), Long.MAX_VALUE, Map.of(), 0, 0);

  /** With a node's pause. Its reach and clock count each time, the pause once. */
  NodeReports paused(Paused ack) {
    NodeReports known = reaching(ack.getNode(), ack.getReach()).atClock(ack.getQuietSince());
    if (paused.contains(ack.getNode())) {
      return known;
    }
    Set<Integer> more = new HashSet<>(paused);
    more.add(ack.getNode());
    long earliest = Math.min(quietSince, ack.getQuietSince());
    return new NodeReports(
        Collections.unmodifiableSet(more), earliest, known.reach, known.clock, branchEnd);
  }

  NodeReports reaching(int node, long hlc) {
    Map<Integer, Long> more = new HashMap<>(reach);
    more.put(node, hlc);
    return new NodeReports(paused, quietSince, Collections.unmodifiableMap(more), clock, branchEnd);
  }

  NodeReports atClock(long hlc) {
    return new NodeReports(paused, quietSince, reach, Math.max(clock, hlc), branchEnd);
  }

  NodeReports branchEndingAt(long hlc) {
    return new NodeReports(paused, quietSince, reach, clock, hlc);
  }

  /** No cut before this HLC can be restored on all nodes that reported their reach. */
  long reachMax() {
    return reach.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** Why {@code target} cannot be restored. The target must be before {@link #reachMax}. */
  String outOfReach(long target) {
    int node =
        reach.entrySet().stream()
            .filter(e -> e.getValue() > target)
            .mapToInt(Map.Entry::getKey)
            .min()
            .orElseThrow();
    return "target %s is out of the reach of node %d, which is back to %s"
        .formatted(
            PointInTime.format(target), node, PointInTime.format(reach.getOrDefault(node, 0L)));
  }
}

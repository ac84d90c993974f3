package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.AtKey;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.Restored;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How far the effects of a plan's violations reach, as its nodes report it. Immutable.
 *
 * @param notedSince by node: the start of its access log; only nodes that reported one
 * @param ofSome whether the newest attempt undoes only writes that depend on the witnesses
 * @param concerned the clients concerned; null: not known yet, or all clients
 * @param back the terms that hold at restored keys
 * @param stood the terms at keys whose writes after the target stand
 */
public record AffectedReports(
    Map<Integer, Long> notedSince,
    boolean ofSome,
    @Nullable Concerned concerned,
    List<AtKey> back,
    List<AtKey> stood) {
  static final AffectedReports NONE =
      new AffectedReports(Map.of(), false, null, List.of(), List.of());

  public AffectedReports {
    notedSince = Map.copyOf(notedSince);
    back = List.copyOf(back);
    stood = List.copyOf(stood);
  }

  /** With a node's pause. A later report of the same node replaces the earlier one. */
  AffectedReports with(Paused said) {
    Map<Integer, Long> since = new HashMap<>(notedSince);
    since.put(said.getNode(), said.hasAccessesSince() ? said.getAccessesSince() : Long.MAX_VALUE);
    return new AffectedReports(since, ofSome, concerned, back, stood);
  }

  /** At the start of an attempt. */
  AffectedReports restoring(boolean onlySome) {
    return new AffectedReports(notedSince, onlySome, null, List.of(), List.of());
  }

  /** With a node's answer. All nodes report the same concerned clients, so the first counts. */
  AffectedReports with(Restored answer) {
    return ofSome && concerned == null && answer.hasConcerned()
        ? new AffectedReports(notedSince, true, answer.getConcerned(), back, stood)
        : this;
  }

  AffectedReports with(Converged answer) {
    if (answer.getBackCount() + answer.getStoodCount() == 0) {
      return this;
    }
    return new AffectedReports(
        notedSince,
        ofSome,
        concerned,
        Stream.concat(back.stream(), answer.getBackList().stream()).toList(),
        Stream.concat(stood.stream(), answer.getStoodList().stream()).toList());
  }
}

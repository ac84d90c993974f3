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
 * How far a violation went, as the nodes of a plan tell it. Immutable.
 *
 * @param notedSince by node, since when it has noted who used which keys; of those that can tell
 * @param ofSome whether the newest attempt undoes only what came of the witnesses
 * @param concerned whom that concerns; null: not known yet, or everybody
 * @param back what holds at keys that went back
 * @param stood what the keys are about that have writes after the target which stand
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

  /** What a node that was started anew tells counts instead of what it told before. */
  AffectedReports with(Paused said) {
    Map<Integer, Long> since = new HashMap<>(notedSince);
    since.put(said.getNode(), said.hasAccessesSince() ? said.getAccessesSince() : Long.MAX_VALUE);
    return new AffectedReports(since, ofSome, concerned, back, stood);
  }

  /** With a new attempt. */
  AffectedReports restoring(boolean onlySome) {
    return new AffectedReports(notedSince, onlySome, null, List.of(), List.of());
  }

  /** All nodes tell the same of it. */
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

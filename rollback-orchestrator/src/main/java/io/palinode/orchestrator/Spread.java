package io.palinode.orchestrator;

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
record Spread(
    Map<Integer, Long> notedSince,
    boolean ofSome,
    @Nullable Concerned concerned,
    List<AtKey> back,
    List<AtKey> stood) {
  static final Spread NONE = new Spread(Map.of(), false, null, List.of(), List.of());

  Spread {
    notedSince = Map.copyOf(notedSince);
    back = List.copyOf(back);
    stood = List.copyOf(stood);
  }

  /** What a node that was started anew tells counts instead of what it told before. */
  Spread with(Paused said) {
    Map<Integer, Long> since = new HashMap<>(notedSince);
    since.put(said.getNode(), said.hasAccessesSince() ? said.getAccessesSince() : Long.MAX_VALUE);
    return new Spread(since, ofSome, concerned, back, stood);
  }

  /** With a new attempt. */
  Spread restoring(boolean onlySome) {
    return new Spread(notedSince, onlySome, null, List.of(), List.of());
  }

  /** All nodes tell the same of it. */
  Spread with(Restored answer) {
    return ofSome && concerned == null && answer.hasConcerned()
        ? new Spread(notedSince, true, answer.getConcerned(), back, stood)
        : this;
  }

  Spread with(Converged answer) {
    if (answer.getBackCount() + answer.getStoodCount() == 0) {
      return this;
    }
    return new Spread(
        notedSince,
        ofSome,
        concerned,
        Stream.concat(back.stream(), answer.getBackList().stream()).toList(),
        Stream.concat(stood.stream(), answer.getStoodList().stream()).toList());
  }
}

package io.palinode.orchestrator.violations;

import io.palinode.wire.v1.CoverageLost;
import java.util.HashSet;
import java.util.Set;

/**
 * How far the coverage gaps of the violations log reach. Immutable.
 *
 * @param to the greatest end of those that are over
 * @param open places whose gap is not over
 */
record LostSpans(long to, Set<Place> open) {
  static final LostSpans NONE = new LostSpans(0, Set.of());

  /** An incarnation of a node, on a partition of the candidates topic. */
  record Place(int node, int partition, long incarnation) {}

  LostSpans {
    open = Set.copyOf(open);
  }

  /** With one more. The gap of an incarnation that is over ends the open one. */
  LostSpans and(CoverageLost loss) {
    if (!loss.hasNode()) {
      return new LostSpans(Math.max(to, Coverage.end(loss)), open);
    }
    Set<Place> now = new HashSet<>(open);
    Place place = new Place(loss.getNode(), loss.getPartition(), loss.getIncarnation());
    if (loss.getToHlc() == 0) {
      now.add(place);
    } else if (loss.getLastSequence() == 0) {
      now.remove(place);
    }
    return new LostSpans(Math.max(to, loss.getToHlc()), now);
  }

  /** Returns the greatest end; {@link Long#MAX_VALUE} while one is not over. */
  long end() {
    return open.isEmpty() ? to : Long.MAX_VALUE;
  }
}

package io.palinode.simulation.job;

import io.palinode.monitor.CandidateEvent;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Events of an instance whose predicate's version is not known yet, in their order. */
final class Waiting {
  final ArrayDeque<CandidateEvent> events = new ArrayDeque<>();

  /** The job judges nothing from this HLC on; null: no HLC is held. */
  @Nullable Long heldAt;

  long least() {
    return events.stream().mapToLong(CandidateEvent::hlc).min().orElse(Long.MAX_VALUE);
  }
}

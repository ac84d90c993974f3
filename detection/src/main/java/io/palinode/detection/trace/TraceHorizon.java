package io.palinode.detection.trace;

import io.palinode.detection.Candidate;
import io.palinode.detection.search.Horizon;
import io.palinode.detection.search.Retained;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.List;

/**
 * The horizon of a whole trace, which is taken in the order of starts: all ends are known, an open
 * one is unbounded, and so is the next start of each node.
 */
public final class TraceHorizon implements Horizon {
  private final Causality causality;
  private final List<CandidateCursor> nodes;
  private final boolean ascending;

  /** {@code trace} holds what has not been read; reading advances a cursor. */
  public TraceHorizon(Causality causality, TraceSource trace) {
    this.causality = causality;
    this.nodes = trace.nodes();
    this.ascending = trace.ascending();
  }

  @Override
  public boolean mayEndTooEarly(Retained i, Retained j, Grade grade) {
    Hvc end = i.end();
    return end != null && causality.endsTooEarly(end, j.start(), grade);
  }

  @Override
  public boolean isPassed(Retained i) {
    Hvc end = i.end();
    // Where a recorded clock goes back, the next start says nothing of those after it.
    if (end == null || !ascending) {
      return false;
    }
    for (int node = 0; node < nodes.size(); node++) {
      Candidate next = nodes.get(node).head();
      if (next != null && !causality.endsBefore(end, next.interval().start())) {
        return false;
      }
    }
    return true;
  }
}

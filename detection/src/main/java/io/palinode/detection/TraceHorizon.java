package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.List;

/**
 * The horizon of a whole trace, which is taken in the order of starts: all ends are known, an open
 * one is unbounded, and so is the next start of each node.
 */
final class TraceHorizon implements Horizon {
  private final Causality causality;
  private final List<List<Hvc>> starts = new ArrayList<>();
  private final int[] taken;
  // Where a recorded clock goes back, the next start says nothing of those after it.
  private boolean ascending = true;

  TraceHorizon(int nodes, Causality causality, List<Candidate> inOrderOfStarts) {
    this.causality = causality;
    this.taken = new int[nodes];
    for (int node = 0; node < nodes; node++) {
      starts.add(new ArrayList<>());
    }
    for (Candidate candidate : inOrderOfStarts) {
      add(starts.get(candidate.id().node()), candidate.interval().start());
    }
  }

  private void add(List<Hvc> ofNode, Hvc start) {
    Hvc last = ofNode.isEmpty() ? start : ofNode.get(ofNode.size() - 1);
    ascending &= last.equals(start) || last.isBefore(start);
    ofNode.add(start);
  }

  /** The next start of {@code node} has been seen. */
  void take(int node) {
    taken[node]++;
  }

  @Override
  public boolean mayEndTooEarly(Retained i, Retained j, Grade grade) {
    Hvc end = i.end();
    return end != null && causality.endsTooEarly(end, j.start(), grade);
  }

  @Override
  public boolean isPassed(Retained i) {
    Hvc end = i.end();
    if (end == null || !ascending) {
      return false;
    }
    for (int node = 0; node < taken.length; node++) {
      List<Hvc> all = starts.get(node);
      if (taken[node] < all.size() && !causality.endsBefore(end, all.get(taken[node]))) {
        return false;
      }
    }
    return true;
  }
}

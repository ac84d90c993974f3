package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Edge;

/** Two spans at the two ends of one edge that break a rule together. */
public record Violation(Span atA, Span atB) {
  public Violation {
    if (!atA.cell().edge().equals(atB.cell().edge()) || !atA.cell().isOfA() || atB.cell().isOfA()) {
      throw new IllegalArgumentException(
          "a violation needs spans of the two ends of one edge: atA=" + atA + " atB=" + atB);
    }
  }

  public Edge edge() {
    return atA.cell().edge();
  }

  /** The start of the later span: the first moment at which both held. */
  public long violateHlc() {
    return Math.max(atA.hlc().from(), atB.hlc().from());
  }

  /** A rollback took one of the two back, and with it the violation. */
  public boolean isTakenBack() {
    return atA.version().undoneBy() != null || atB.version().undoneBy() != null;
  }
}

package io.palinode.demo.watch;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Rule;
import io.palinode.examples.graph.truth.Detected;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The two sections, or published colours, that a report is about. */
record Sections(Rule broken, Detected detected) {
  /**
   * By the variables that the witnesses name, so that any form of the predicate can be compared.
   * Null when they are not the two ends of an edge.
   */
  static @Nullable Sections of(Violation violation, FirstAcceptances acceptances) {
    List<Cell> cells = new ArrayList<>();
    for (Witness witness : violation.getWitnessesList()) {
      Cell cell = Cell.of(witness, acceptances.startOf(witness, violation.getEpoch()));
      if (cell != null) {
        cells.add(cell);
      }
    }
    if (cells.size() != 2 || !cells.get(0).edge.equals(cells.get(1).edge)) {
      return null;
    }
    Cell one = cells.get(0);
    Cell other = cells.get(1);
    if (one.end == one.edge.a() && other.end == one.edge.b()) {
      return new Sections(one.broken, new Detected(one.edge, one.start, other.start));
    }
    return one.end == one.edge.b() && other.end == one.edge.a()
        ? new Sections(one.broken, new Detected(one.edge, other.start, one.start))
        : null;
  }

  /** The cell that a witness is about. */
  private record Cell(Edge edge, int end, Rule broken, long start) {
    static @Nullable Cell of(Witness witness, long start) {
      if (witness.getValuesCount() == 0) {
        return null;
      }
      String[] key = witness.getValues(0).getKey().toStringUtf8().split("_", -1);
      if (key.length != 4 || !key[0].equals("cs")) {
        return null;
      }
      Rule broken =
          witness.getValues(0).getValue().toStringUtf8().equals(Keys.INSIDE)
              ? Rule.EDGE_MUTEX
              : Rule.PROPER_COLOURING;
      return new Cell(
          new Edge(Integer.parseInt(key[1]), Integer.parseInt(key[2])),
          Integer.parseInt(key[3]),
          broken,
          start);
    }
  }
}

package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Edge;
import org.jspecify.annotations.Nullable;

/**
 * A time during which one end of an edge had one value in its cell: {@code "1"}, a section; {@code
 * "c5"}, the published colour 5.
 *
 * @param sure nanoseconds: from the return of the write until right before the call of the next
 *     one, or until the client learned of a rollback; empty when it is not known to have been there
 * @param maybe nanoseconds: from the call of the write until the return of the next one, or until
 *     the client learned of a rollback
 * @param hlc from {@code acceptedAt} of the write until that of the next. The write of a call that
 *     failed, and a value that a rollback brought back, begin after all earlier writes of the cell
 * @param epochs of the store
 */
public record Span(Cell cell, Version version, Range sure, Range maybe, Range hlc, Range epochs) {
  /**
   * @param end the vertex whose cell it is
   */
  public record Cell(Edge edge, int end) {
    public Cell {
      if (end != edge.a() && end != edge.b()) {
        throw new IllegalArgumentException(
            "a cell is of an end of its edge: edge=" + edge + " end=" + end);
      }
    }

    boolean isOfA() {
      return end == edge.a();
    }
  }

  /**
   * @param writtenAt {@code acceptedAt} of the write, or {@link SectionLog#UNKNOWN}
   * @param undoneBy the target of the rollback that discarded it; null: it stood
   */
  public record Version(String value, long writtenAt, @Nullable Long undoneBy) {}

  /**
   * A detector that names an interval by its start HLC means this span. A detector opens an
   * interval that a rollback brought back either at the time of the write or when it looks again.
   */
  boolean isNamedBy(long startHlc) {
    return startHlc == version.writtenAt || hlc.contains(startHlc);
  }

  // A client that has not yet learned of a rollback does no harm: its requests are refused. So its
  // old section does not meet a new one of a client that knows already: they share no epoch.

  boolean surelyMeets(Span other) {
    return epochs.meets(other.epochs) && sure.meets(other.sure);
  }

  boolean maybeMeets(Span other) {
    return epochs.meets(other.epochs) && maybe.meets(other.maybe);
  }
}

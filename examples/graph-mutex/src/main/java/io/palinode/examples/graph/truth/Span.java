package io.palinode.examples.graph.truth;

import io.palinode.examples.graph.Edge;
import org.jspecify.annotations.Nullable;

/**
 * A time during which one end of an edge had one value in its cell: {@code "1"}, a section; {@code
 * "c5"}, the published colour 5. Ends are exclusive; {@link #NEVER} as an end: until the end of the
 * run.
 *
 * @param end the vertex whose cell it is
 * @param client who wrote it
 * @param sureFromNanos the write had returned; {@link #NEVER}: at no time surely
 * @param sureUntilNanos the next write was about to be called, or the client learned of a rollback
 * @param maybeFromNanos the write was about to be called
 * @param maybeUntilNanos the next write had returned, or the client learned of a rollback
 * @param writtenAt {@code acceptedAt} of the write, or {@link SectionLog#UNKNOWN}
 * @param startHlc the same; but for a write whose call failed, and for a value that a rollback
 *     brought back: the first HLC that no earlier write of the cell has
 * @param endHlc {@code acceptedAt} of the next write of the cell
 * @param epochFrom the store's epoch in which it began
 * @param epochUntil the last epoch in which it was there
 * @param undoneBy the target of the rollback that took it back; null: it stood
 */
public record Span(
    Edge edge,
    int end,
    int client,
    String value,
    long sureFromNanos,
    long sureUntilNanos,
    long maybeFromNanos,
    long maybeUntilNanos,
    long writtenAt,
    long startHlc,
    long endHlc,
    long epochFrom,
    long epochUntil,
    @Nullable Long undoneBy) {
  public static final long NEVER = Long.MAX_VALUE;

  /**
   * A detector that names an interval by its start HLC means this span. A detector opens an
   * interval that a rollback brought back either at the time of the write or when it looks again.
   */
  boolean isNamedBy(long hlc) {
    return hlc == writtenAt || (startHlc <= hlc && hlc < endHlc);
  }

  boolean surelyMeets(Span other) {
    return sharesEpoch(other)
        && Math.max(sureFromNanos, other.sureFromNanos)
            < Math.min(sureUntilNanos, other.sureUntilNanos);
  }

  boolean maybeMeets(Span other) {
    return sharesEpoch(other)
        && Math.max(maybeFromNanos, other.maybeFromNanos)
            < Math.min(maybeUntilNanos, other.maybeUntilNanos);
  }

  /**
   * A client that has not yet learned of a rollback does no harm: its requests are refused. So its
   * old section does not meet a new one of a client that knows already.
   */
  private boolean sharesEpoch(Span other) {
    return Math.max(epochFrom, other.epochFrom) <= Math.min(epochUntil, other.epochUntil);
  }
}

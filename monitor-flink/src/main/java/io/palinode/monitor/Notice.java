package io.palinode.monitor;

import io.palinode.wire.v1.CoverageLost;

/**
 * What every part of the keyed detection must hear, not only the instance that a record is about.
 *
 * @param body the predicate record, the ended incarnation's last clock, or the loss
 */
public record Notice(
    Kind kind, int partition, int node, long incarnation, long epoch, byte[] body) {
  private static final byte[] NOTHING = {};

  /** What a notice tells. */
  public enum Kind {
    /** A predicate was applied, changed or deleted. */
    PREDICATE,
    /** A node speaks with a new incarnation or epoch on a partition. */
    NODE,
    /** Events of a node are missing on a partition. */
    LOST
  }

  public static Notice predicate(byte[] predicateRecord) {
    return new Notice(Kind.PREDICATE, 0, 0, 0, 0, predicateRecord);
  }

  /** From this event on the node speaks with its incarnation and epoch. */
  public static Notice node(CandidateEvent event) {
    return node(event, NOTHING);
  }

  /** The same; and the node's incarnation before, known up to {@code lastClock}, is over. */
  public static Notice node(CandidateEvent event, byte[] lastClock) {
    return new Notice(
        Kind.NODE, event.partition(), event.node(), event.incarnation(), event.epoch(), lastClock);
  }

  public static Notice lost(CandidateEvent event, CoverageLost loss) {
    return new Notice(
        Kind.LOST,
        event.partition(),
        event.node(),
        event.incarnation(),
        event.epoch(),
        loss.toByteArray());
  }

  /** Whether an earlier incarnation of the node ended. */
  public boolean endsIncarnation() {
    return kind == Kind.NODE && body.length > 0;
  }
}

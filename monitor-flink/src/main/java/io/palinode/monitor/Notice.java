package io.palinode.monitor;

import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.JudgementReport;

/**
 * A record for every subtask of the keyed detection, not for one instance only.
 *
 * @param body the predicate record, the first clock of the new incarnation, the coverage gap, the
 *     search, or the report
 */
public record Notice(Kind kind, Sender sender, byte[] body) {
  private static final byte[] NOTHING = {};

  /** What a notice contains. */
  public enum Kind {
    /** A predicate was applied, changed or deleted. */
    PREDICATE(1),
    /** A node published its first record of a newer epoch. */
    EPOCH(2),
    /** A node has begun a new incarnation on a partition. */
    RESTARTED(3),
    /** Events of a node are missing on a partition. */
    LOST(4),
    /** A node has published all its states of a predicate that compares replicas. */
    SEARCHED(5),
    /** How far the nodes have been read on a partition. */
    REACHED(6),
    /** A node has published every interval that holds, of a predicate with {@code within}. */
    WHOLE(7);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** The code in the state's bytes. */
    public int code() {
      return code;
    }

    /** Returns the kind of a code. Throws {@link IllegalArgumentException} for an unknown code. */
    public static Kind of(int code) {
      return Codes.of(values(), Kind::code, code);
    }
  }

  public static Notice predicate(byte[] predicateRecord) {
    return new Notice(Kind.PREDICATE, Sender.NONE, predicateRecord);
  }

  public static Notice epoch(CandidateEvent event) {
    return about(event, Kind.EPOCH, NOTHING);
  }

  public static Notice restarted(CandidateEvent event, byte[] firstClock) {
    return about(event, Kind.RESTARTED, firstClock);
  }

  /** Returns a notice with the body of a {@link Search}. */
  static Notice searched(CandidateEvent event, byte[] body) {
    return about(event, Kind.SEARCHED, body);
  }

  /** Returns a notice with the body of a {@link Search}. */
  static Notice whole(CandidateEvent event, byte[] body) {
    return about(event, Kind.WHOLE, body);
  }

  /**
   * Returns a notice that ends what {@code sender} left open, at its last clock, as a restart
   * would.
   */
  public static Notice skipped(Sender sender, byte[] lastClock) {
    Sender next = new Sender(sender.channel(), sender.incarnation() + 1, sender.epoch());
    return new Notice(Kind.RESTARTED, next, lastClock);
  }

  public static Notice lost(CandidateEvent event, CoverageLost loss) {
    return lost(event.sender(), loss);
  }

  public static Notice lost(Sender sender, CoverageLost loss) {
    return new Notice(Kind.LOST, sender, loss.toByteArray());
  }

  /** Returns a notice with a report about the partition of {@code event}. */
  public static Notice reached(CandidateEvent event, JudgementReport report) {
    return about(event, Kind.REACHED, report.toByteArray());
  }

  private static Notice about(CandidateEvent event, Kind kind, byte[] body) {
    return new Notice(kind, event.sender(), body);
  }

  public int partition() {
    return sender.channel().partition();
  }
}

package io.palinode.monitor;

import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.JudgementReport;

/**
 * What every part of the keyed detection must hear, not only the instance that a record is about.
 *
 * @param body the predicate record, the first clock of the new incarnation, the loss, the search,
 *     or the report
 */
public record Notice(
    Kind kind, int partition, int node, long incarnation, long epoch, byte[] body) {
  private static final byte[] NOTHING = {};

  /** What a notice tells. */
  public enum Kind {
    /** A predicate was applied, changed or deleted. */
    PREDICATE(1),
    /** Some node speaks in a newer epoch than any before. */
    EPOCH(2),
    /** A node has begun a new incarnation on a partition. */
    RESTARTED(3),
    /** Events of a node are missing on a partition. */
    LOST(4),
    /** A node has told all that it has of a predicate that compares replicas. */
    SEARCHED(5),
    /** How far the nodes have been read on a partition. */
    REACHED(6);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** In the state's bytes. */
    public int code() {
      return code;
    }

    /** Throws {@link IllegalArgumentException} for a code that no kind has. */
    public static Kind of(int code) {
      return Codes.of(values(), Kind::code, code);
    }
  }

  public static Notice predicate(byte[] predicateRecord) {
    return new Notice(Kind.PREDICATE, 0, 0, 0, 0, predicateRecord);
  }

  public static Notice epoch(CandidateEvent event) {
    return about(event, Kind.EPOCH, NOTHING);
  }

  public static Notice restarted(CandidateEvent event, byte[] firstClock) {
    return about(event, Kind.RESTARTED, firstClock);
  }

  /** {@code body} is that of a {@link Search}. */
  static Notice searched(CandidateEvent event, byte[] body) {
    return about(event, Kind.SEARCHED, body);
  }

  public static Notice lost(CandidateEvent event, CoverageLost loss) {
    return about(event, Kind.LOST, loss.toByteArray());
  }

  /** {@code event} is of the partition that the report is about. */
  public static Notice reached(CandidateEvent event, JudgementReport report) {
    return about(event, Kind.REACHED, report.toByteArray());
  }

  private static Notice about(CandidateEvent event, Kind kind, byte[] body) {
    return new Notice(
        kind, event.partition(), event.node(), event.incarnation(), event.epoch(), body);
  }
}

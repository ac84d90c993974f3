package io.palinode.monitor;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;

/**
 * A record of the candidates' topic, parsed as far as the steps before detection need it.
 *
 * @param hlc the node's own HLC at the event
 * @param clock the node's encoded HVC at the event; empty for a gap
 * @param key names the predicate instance; empty for progress, gaps and stops
 * @param record the whole record's bytes
 */
public record CandidateEvent(
    int partition,
    int node,
    long incarnation,
    long epoch,
    long sequence,
    Kind kind,
    long hlc,
    byte[] clock,
    String key,
    byte[] record) {
  private static final byte[] NO_CLOCK = {};

  /** What a record contains. */
  public enum Kind {
    OPENED(1),
    CLOSED(2),
    PROGRESS(3),
    GAP(4),
    STOPPED(5),
    /** The node's disk refuses its clock promise, so the node publishes no progress. */
    UNPROMISED(6);

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

    /** Returns whether this kind states how far the node's records are complete. */
    public boolean isProgress() {
      return this == PROGRESS || this == STOPPED;
    }
  }

  /**
   * Parses a record's bytes. Throws {@link IllegalArgumentException} if they are no event of a
   * cluster of {@code nodes} nodes.
   */
  public static CandidateEvent parse(int partition, int nodes, byte[] bytes) {
    return of(partition, nodes, decode(bytes), bytes);
  }

  /**
   * Returns the event of {@code record}, which was parsed from {@code bytes}. Throws {@link
   * IllegalArgumentException} as {@link #parse}.
   */
  public static CandidateEvent of(int partition, int nodes, CandidateRecord record, byte[] bytes) {
    if (record.getNode() < 0 || record.getNode() >= nodes) {
      throw new IllegalArgumentException(
          "node must be in [0, " + (nodes - 1) + "]: node=" + record.getNode());
    }
    return switch (record.getEventCase()) {
      case OPENED ->
          of(
              partition,
              record,
              Kind.OPENED,
              clock(nodes, record, record.getOpened().getStart()),
              CandidateRecords.instanceKey(record.getOpened().getInterval()),
              bytes);
      case CLOSED ->
          of(
              partition,
              record,
              Kind.CLOSED,
              clock(nodes, record, record.getClosed().getEnd()),
              CandidateRecords.instanceKey(record.getClosed().getInterval()),
              bytes);
      case PROGRESS ->
          of(
              partition,
              record,
              Kind.PROGRESS,
              clock(nodes, record, record.getProgress().getHvc()),
              "",
              bytes);
      case STOPPED ->
          of(
              partition,
              record,
              Kind.STOPPED,
              clock(nodes, record, record.getStopped().getHvc()),
              "",
              bytes);
      case GAP -> of(partition, record, Kind.GAP, NO_CLOCK, "", bytes);
      case EVENT_NOT_SET -> withoutEvent(partition, record, bytes);
    };
  }

  private static CandidateEvent withoutEvent(int partition, CandidateRecord record, byte[] bytes) {
    if (!record.hasUnpromisedSinceMicros()) {
      throw new IllegalArgumentException(
          "a candidate record must hold an event: node=" + record.getNode());
    }
    return new CandidateEvent(
        partition,
        record.getNode(),
        record.getIncarnation(),
        record.getEpoch(),
        record.getSequence(),
        Kind.UNPROMISED,
        0,
        NO_CLOCK,
        "",
        bytes);
  }

  /** Parses the whole record again. */
  public CandidateRecord decode() {
    return decode(record);
  }

  private static CandidateEvent of(
      int partition, CandidateRecord record, Kind kind, byte[] clock, String key, byte[] bytes) {
    return new CandidateEvent(
        partition,
        record.getNode(),
        record.getIncarnation(),
        record.getEpoch(),
        record.getSequence(),
        kind,
        CandidateRecords.ownTime(record),
        clock,
        key,
        bytes);
  }

  private static byte[] clock(
      int nodes, CandidateRecord record, com.google.protobuf.ByteString bytes) {
    Hvc clock = CandidateRecords.decode(bytes);
    if (clock.nodes() != nodes || clock.owner() != record.getNode()) {
      throw new IllegalArgumentException(
          "an event must carry the clock of its node among "
              + nodes
              + ": node="
              + record.getNode()
              + " clock="
              + clock);
    }
    return bytes.toByteArray();
  }

  private static CandidateRecord decode(byte[] bytes) {
    try {
      return CandidateRecord.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(
          "a candidate record must be protobuf: " + e.getMessage(), e);
    }
  }
}

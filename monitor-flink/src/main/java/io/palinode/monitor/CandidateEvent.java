package io.palinode.monitor;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;

/**
 * A record of the candidates' topic, read just as far as everything before detection needs it.
 *
 * @param hlc the node's own HLC at which the event stands
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

  /** What a record tells. */
  public enum Kind {
    OPENED(1),
    CLOSED(2),
    PROGRESS(3),
    GAP(4),
    STOPPED(5),
    /** No event: the node's disk refuses its clock promise, so the node publishes no progress. */
    UNPROMISED(6);

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

    /** Whether it says how far the node has come, rather than what happened. */
    boolean isProgress() {
      return this == PROGRESS || this == STOPPED;
    }
  }

  /**
   * Throws {@link IllegalArgumentException} for bytes that are no event of a cluster of {@code
   * nodes} nodes.
   */
  public static CandidateEvent parse(int partition, int nodes, byte[] bytes) {
    CandidateRecord record = decode(bytes);
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

  /** The record again, in full. */
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
          "an event carries the clock of its node among "
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

package io.palinode.monitor;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;

/**
 * A record of the candidates' topic, parsed as far as the steps before detection need it.
 *
 * @param stamp the node's time at the event
 * @param key names the predicate instance; empty for progress, gaps and stops
 * @param record the whole record's bytes
 */
public record CandidateEvent(
    Sender sender, long sequence, Kind kind, Stamp stamp, String key, byte[] record) {

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
              stamp(nodes, record, record.getOpened().getStart()),
              CandidateRecords.instanceKey(record.getOpened().getInterval()),
              bytes);
      case CLOSED ->
          of(
              partition,
              record,
              Kind.CLOSED,
              stamp(nodes, record, record.getClosed().getEnd()),
              CandidateRecords.instanceKey(record.getClosed().getInterval()),
              bytes);
      case PROGRESS -> {
        Stamp stamp = stamp(nodes, record, record.getProgress().getHvc());
        yield of(partition, record, Kind.PROGRESS, stamp, "", bytes);
      }
      case STOPPED -> {
        Stamp stamp = stamp(nodes, record, record.getStopped().getHvc());
        yield of(partition, record, Kind.STOPPED, stamp, "", bytes);
      }
      case GAP -> {
        Stamp stamp = Stamp.withoutClock(record.getGap().getToHlc());
        yield of(partition, record, Kind.GAP, stamp, "", bytes);
      }
      case EVENT_NOT_SET -> {
        if (!record.hasUnpromisedSinceMicros()) {
          throw new IllegalArgumentException(
              "a candidate record must hold an event: node=" + record.getNode());
        }
        yield of(partition, record, Kind.UNPROMISED, Stamp.withoutClock(0), "", bytes);
      }
    };
  }

  public Channel channel() {
    return sender.channel();
  }

  public int partition() {
    return sender.channel().partition();
  }

  public int node() {
    return sender.channel().node();
  }

  public long incarnation() {
    return sender.incarnation();
  }

  public long epoch() {
    return sender.epoch();
  }

  public long hlc() {
    return stamp.hlc();
  }

  /** Parses the whole record again. */
  public CandidateRecord decode() {
    return decode(record);
  }

  private static CandidateEvent of(
      int partition, CandidateRecord record, Kind kind, Stamp stamp, String key, byte[] bytes) {
    Sender sender =
        new Sender(
            new Channel(partition, record.getNode()), record.getIncarnation(), record.getEpoch());
    return new CandidateEvent(sender, record.getSequence(), kind, stamp, key, bytes);
  }

  private static Stamp stamp(int nodes, CandidateRecord record, ByteString bytes) {
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
    return new Stamp(clock.own(), bytes.toByteArray());
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

package io.palinode.wire;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Gap;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;

/**
 * Bounds of candidate records. Pure. A refused candidate leaves a hole in its node's sequence, so
 * the monitor publishes a coverage gap for it.
 */
public final class CandidateRecordCheck {
  /** Candidates of one incarnation: one a microsecond for eleven days. */
  static final long SEQUENCE_MAX = 1_000_000_000_000L;

  /** Versions of a predicate; each is a record. */
  static final long VERSION_MAX = 1_000_000_000_000L;

  private CandidateRecordCheck() {}

  /** Throws {@link IllegalArgumentException} for a record that no local detector writes. */
  public static void require(CandidateRecord record, RecordBounds bounds) {
    bounds.node("node", record.getNode());
    bounds.number("incarnation", record.getIncarnation());
    RecordChecks.atLeastOne("incarnation", record.getIncarnation());
    bounds.number("epoch", record.getEpoch());
    RecordBounds.range("sequence", record.getSequence(), SEQUENCE_MAX);
    switch (record.getEventCase()) {
      case OPENED -> opened(record, record.getOpened(), bounds);
      case CLOSED -> closed(record, record.getClosed(), bounds);
      case PROGRESS -> clock(record, record.getProgress().getHvc(), bounds);
      case STOPPED -> clock(record, record.getStopped().getHvc(), bounds);
      case GAP -> gap(record, record.getGap(), bounds);
      case EVENT_NOT_SET -> unpromised(record, bounds);
    }
  }

  /** As {@link #require}; the record's clock gives the number of nodes. */
  public static void requireOfSomeCluster(CandidateRecord record, RecordBounds bounds) {
    require(record, new RecordBounds(nodes(record), bounds.offset(), bounds.timestampMs()));
  }

  private static int nodes(CandidateRecord record) {
    return switch (record.getEventCase()) {
      case OPENED -> CandidateRecords.decode(record.getOpened().getStart()).nodes();
      case CLOSED -> CandidateRecords.decode(record.getClosed().getStart()).nodes();
      case PROGRESS -> CandidateRecords.decode(record.getProgress().getHvc()).nodes();
      case STOPPED -> CandidateRecords.decode(record.getStopped().getHvc()).nodes();
      case GAP, EVENT_NOT_SET -> Hvc.NODES_MAX;
    };
  }

  private static void opened(CandidateRecord record, Opened opened, RecordBounds bounds) {
    interval(opened.getInterval());
    clock(record, opened.getStart(), bounds);
    bounds.node("origin", opened.getOrigin());
    opened.getReplicasList().forEach(replica -> bounds.node("replica", replica));
  }

  private static void closed(CandidateRecord record, Closed closed, RecordBounds bounds) {
    interval(closed.getInterval());
    clock(record, closed.getStart(), bounds);
    clock(record, closed.getEnd(), bounds);
    bounds.node("origin", closed.getOrigin());
    RecordBounds.range("opened_sequence", closed.getOpenedSequence(), record.getSequence());
  }

  private static void unpromised(CandidateRecord record, RecordBounds bounds) {
    if (!record.hasUnpromisedSinceMicros()) {
      throw new IllegalArgumentException("a candidate record must hold an event");
    }
    bounds.micros("unpromised_since_micros", record.getUnpromisedSinceMicros());
  }

  private static void gap(CandidateRecord record, Gap gap, RecordBounds bounds) {
    RecordBounds.range("last_sequence", gap.getLastSequence(), record.getSequence());
    RecordBounds.range("first_sequence", gap.getFirstSequence(), gap.getLastSequence());
    bounds.hlc("to_hlc", gap.getToHlc());
    RecordBounds.range("from_hlc", gap.getFromHlc(), Long.MAX_VALUE);
  }

  private static void interval(IntervalRef interval) {
    RecordBounds.text("predicate", interval.getPredicate(), RecordChecks.NAME_CHARS_MAX);
    if (interval.getPredicate().indexOf('|') >= 0) {
      throw new IllegalArgumentException("the name of a predicate must not have a bar");
    }
    RecordBounds.range("predicate_version", interval.getPredicateVersion(), VERSION_MAX);
  }

  private static void clock(CandidateRecord record, ByteString bytes, RecordBounds bounds) {
    Hvc clock = CandidateRecords.decode(bytes);
    if (clock.nodes() != bounds.nodes() || clock.owner() != record.getNode()) {
      throw new IllegalArgumentException(
          "a clock must be that of node %d among %d nodes: owner=%d nodes=%d"
              .formatted(record.getNode(), bounds.nodes(), clock.owner(), clock.nodes()));
    }
    for (int node = 0; node < clock.nodes(); node++) {
      bounds.hlc("clock", clock.get(node));
    }
  }
}

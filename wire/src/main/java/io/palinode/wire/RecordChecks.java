package io.palinode.wire;

import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.NodeReached;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationRecord;
import io.palinode.wire.v1.Witness;

/**
 * Bounds of predicate and violation records. Pure; each check throws {@link
 * IllegalArgumentException} for a record that no part of Palinode writes.
 */
public final class RecordChecks {
  /** Ids of violations and of requests. */
  public static final int ID_CHARS_MAX = 64;

  /** Names of predicates; see the predicate language. */
  public static final int NAME_CHARS_MAX = 128;

  private static final int PARTITIONS_MAX = 100_000;

  /** A day. */
  private static final long WITHIN_MICROS_MAX = 86_400_000_000L;

  private RecordChecks() {}

  /** A version is at most the record's offset + 1, as each version of a name is a record. */
  public static void predicate(PredicateRecord record, RecordBounds bounds) {
    RecordBounds.text("name", record.getName(), NAME_CHARS_MAX);
    atLeastOne("version", record.getVersion());
    bounds.number("version", record.getVersion());
    bounds.number("rollback_since_version", record.getRollbackSinceVersion());
    bounds.micros("applied_at_micros", record.getAppliedAtMicros());
  }

  public static void violation(ViolationRecord record, RecordBounds bounds) {
    switch (record.getRecordCase()) {
      case VIOLATION -> violation(record.getViolation(), bounds);
      case JUDGED -> judged(record.getJudged(), bounds);
      case COVERAGE_LOST -> coverageLost(record.getCoverageLost(), bounds);
      case DETECTING -> {
        var detecting = record.getDetecting();
        RecordBounds.text("predicate", detecting.getPredicate(), NAME_CHARS_MAX);
        RecordBounds.range("version", detecting.getVersion(), Long.MAX_VALUE);
        RecordBounds.range("subtasks", detecting.getSubtasks(), PARTITIONS_MAX);
        RecordBounds.range("subtask", detecting.getSubtask(), detecting.getSubtasks() - 1L);
      }
      case PHANTOM -> {
        RecordBounds.text("id", record.getPhantom().getId(), ID_CHARS_MAX);
        RecordBounds.text("predicate", record.getPhantom().getPredicate(), NAME_CHARS_MAX);
      }
      case ENDED -> {
        RecordBounds.text("id", record.getEnded().getId(), ID_CHARS_MAX);
        bounds.hlc("hlc", record.getEnded().getHlc());
      }
      case RECORD_NOT_SET ->
          throw new IllegalArgumentException("a violation record must hold a record of its kinds");
    }
  }

  private static void judged(Judged judged, RecordBounds bounds) {
    bounds.hlc("hlc", judged.getHlc());
    String epsilon = judged.getReport().getEpsilon();
    if (!epsilon.isEmpty()) {
      RecordBounds.text("epsilon", epsilon, NAME_CHARS_MAX);
    }
    for (NodeReached reached : judged.getReport().getNodesList()) {
      bounds.node("node", reached.getNode());
    }
  }

  static void coverageLost(CoverageLost lost, RecordBounds bounds) {
    if (lost.hasNode()) {
      bounds.node("node", lost.getNode());
    }
    RecordBounds.range("partition", lost.getPartition(), PARTITIONS_MAX);
    RecordBounds.range("incarnation", lost.getIncarnation(), Long.MAX_VALUE);
    RecordBounds.range("first_sequence", lost.getFirstSequence(), Long.MAX_VALUE);
    RecordBounds.range("last_sequence", lost.getLastSequence(), Long.MAX_VALUE);
    bounds.hlc("from_hlc", lost.getFromHlc());
    bounds.hlc("to_hlc", lost.getToHlc());
  }

  private static void violation(Violation violation, RecordBounds bounds) {
    RecordBounds.text("id", violation.getId(), ID_CHARS_MAX);
    RecordBounds.text("predicate", violation.getPredicate(), NAME_CHARS_MAX);
    RecordBounds.range("predicate_version", violation.getPredicateVersion(), Long.MAX_VALUE);
    RecordBounds.range("epoch", violation.getEpoch(), Long.MAX_VALUE);
    bounds.hlc("violate", violation.getViolate());
    RecordBounds.range("first", violation.getFirst(), violation.getViolate());
    bounds.hlc("ended", violation.getEnded());
    RecordBounds.range("within_micros", violation.getWithinMicros(), WITHIN_MICROS_MAX);
    bounds.micros("detected_micros", violation.getDetectedMicros());
    for (Witness witness : violation.getWitnessesList()) {
      bounds.node("witness node", witness.getNode());
    }
  }

  static void atLeastOne(String field, long value) {
    if (value == 0) {
      throw new IllegalArgumentException(field + " must be at least 1: 0");
    }
  }
}

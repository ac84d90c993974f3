package io.palinode.simulation.check;

import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.VariableVersion;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A span in which a version made a term true at a node, as the node's detector told it. */
final class Interval {
  final int node;
  final long incarnation;
  final long epoch;
  final int partition;
  final long sequence;
  final String instance;
  final int term;
  final String version;

  /** The node that accepted the version first; null when that is not known, or is this node. */
  final @Nullable Integer origin;

  /** Whether it was found, not written. */
  final boolean found;

  final Hvc start;
  @Nullable Hvc end;

  private Interval(
      CandidateRecord record, int partition, Hvc start, String version, @Nullable Integer origin) {
    this.node = record.getNode();
    this.incarnation = record.getIncarnation();
    this.epoch = record.getEpoch();
    this.partition = partition;
    this.sequence = record.getSequence();
    this.instance = instanceOf(record.getOpened().getInterval());
    this.term = record.getOpened().getInterval().getTerm();
    this.version = version;
    this.origin = origin;
    this.found = record.getOpened().getWriter().isEmpty();
    this.start = start;
  }

  private Interval(Interval same, @Nullable Hvc end) {
    this.node = same.node;
    this.incarnation = same.incarnation;
    this.epoch = same.epoch;
    this.partition = same.partition;
    this.sequence = same.sequence;
    this.instance = same.instance;
    this.term = same.term;
    this.version = same.version;
    this.origin = same.origin;
    this.found = same.found;
    this.start = same.start;
    this.end = end;
  }

  static Interval opened(CandidateRecord record, int partition) {
    return new Interval(
        record,
        partition,
        io.palinode.wire.CandidateRecords.decode(record.getOpened().getStart()),
        versionOf(record.getOpened().getValues(0)),
        record.getOpened().hasOrigin() ? record.getOpened().getOrigin() : null);
  }

  Interval endingAt(@Nullable Hvc newEnd) {
    return new Interval(this, newEnd);
  }

  long violateWith(Interval other) {
    return Math.max(start.own(), other.start.own());
  }

  /** Whether another replica, or another life of this one, told the same of the same epoch. */
  boolean isSameVersionAs(Interval other) {
    return epoch == other.epoch
        && term == other.term
        && instance.equals(other.instance)
        && version.equals(other.version);
  }

  /** Equal on all replicas. */
  static String versionOf(VariableVersion version) {
    return version.getKey().toStringUtf8()
        + "@"
        + HexFormat.of().formatHex(version.getClock().toByteArray());
  }

  static String instanceOf(io.palinode.wire.v1.IntervalRef ref) {
    return ref.getPredicate() + "|" + ref.getBinding();
  }

  @Override
  public String toString() {
    return "%s term %d at node %d.%d:%d epoch %d [%s, %s] %s origin %s"
        .formatted(instance, term, node, incarnation, sequence, epoch, start, end, version, origin);
  }
}

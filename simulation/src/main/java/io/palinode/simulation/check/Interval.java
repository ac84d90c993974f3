package io.palinode.simulation.check;

import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import org.jspecify.annotations.Nullable;

/**
 * A span in which a version made a term true at a node: from its write to the write that
 * superseded it. An interval found by a scan is as the node's detector published it.
 */
final class Interval {
  final int node;
  final long incarnation;
  final long epoch;
  final long predicateVersion;
  final int partition;
  final String instance;
  final int term;
  final String version;

  /** The node that accepted the version first; null when that is not known, or is this node. */
  final @Nullable Integer origin;

  /** Whether it was found, not written. */
  final boolean found;

  /** Whether only the end was published, and names the start. */
  final boolean endOnly;

  /** Which one it is, however it is seen. */
  final Interval itself;

  final Hvc start;
  @Nullable Hvc end;

  private Interval(
      CandidateRecord record, int partition, Hvc start, String version, @Nullable Integer origin) {
    this.node = record.getNode();
    this.incarnation = record.getIncarnation();
    this.epoch = record.getEpoch();
    this.predicateVersion = ref(record).getPredicateVersion();
    this.partition = partition;
    this.instance = instanceOf(ref(record));
    this.term = ref(record).getTerm();
    this.version = version;
    this.origin = origin;
    this.found = true;
    this.endOnly = record.hasClosed();
    this.start = start;
    this.itself = this;
  }

  private Interval(Write write, int partition, String version) {
    this.node = write.node();
    this.incarnation = write.incarnation();
    this.epoch = write.epoch();
    this.predicateVersion = write.predicateVersion();
    this.partition = partition;
    this.instance = write.instance();
    this.term = write.term();
    this.version = version;
    this.origin = write.event().origin();
    this.found = false;
    this.endOnly = false;
    this.start = write.event().after();
    this.itself = this;
  }

  private Interval(Interval same, @Nullable Hvc end) {
    this.node = same.node;
    this.incarnation = same.incarnation;
    this.epoch = same.epoch;
    this.predicateVersion = same.predicateVersion;
    this.partition = same.partition;
    this.instance = same.instance;
    this.term = same.term;
    this.version = same.version;
    this.origin = same.origin;
    this.found = same.found;
    this.endOnly = same.endOnly;
    this.itself = same.itself;
    this.start = same.start;
    this.end = end;
  }

  /** A found interval: named by its opening, or by its end if no opening was published. */
  static Interval found(CandidateRecord record, int partition) {
    boolean begins = record.hasOpened();
    boolean hasOrigin = begins && record.getOpened().hasOrigin();
    return new Interval(
        record,
        partition,
        start(record),
        version(record),
        hasOrigin ? Integer.valueOf(record.getOpened().getOrigin()) : null);
  }

  static Interval written(Write write, int partition, String version) {
    return new Interval(write, partition, version);
  }

  private static IntervalRef ref(CandidateRecord record) {
    return record.hasOpened() ? record.getOpened().getInterval() : record.getClosed().getInterval();
  }

  private static Hvc start(CandidateRecord record) {
    return CandidateRecords.decode(
        record.hasOpened() ? record.getOpened().getStart() : record.getClosed().getStart());
  }

  private static String version(CandidateRecord record) {
    return versionOf(
        record.hasOpened() ? record.getOpened().getValues(0) : record.getClosed().getOpenedBy());
  }

  /** Whether the record names this interval. */
  boolean isOf(CandidateRecord record) {
    return node == record.getNode()
        && incarnation == record.getIncarnation()
        && epoch == record.getEpoch()
        && predicateVersion == ref(record).getPredicateVersion()
        && term == ref(record).getTerm()
        && start.own() == start(record).own()
        && instance.equals(instanceOf(ref(record)))
        && version.equals(version(record));
  }

  /**
   * Whether the write is to its key at its node and removed its version. An interval that a node
   * dropped with a version of the predicate does not end: no closing is published.
   */
  boolean isEndedBy(Write write) {
    return end == null
        && node == write.node()
        && incarnation == write.incarnation()
        && epoch == write.epoch()
        && predicateVersion == write.predicateVersion()
        && instance.equals(write.instance())
        && term == write.term()
        && version.startsWith(write.key() + "@")
        && !write.leaves(version);
  }

  Interval endingAt(@Nullable Hvc newEnd) {
    return new Interval(this, newEnd);
  }

  long violateWith(Interval other) {
    return Math.max(start.own(), other.start.own());
  }

  /** Whether both are of one version in one epoch, perhaps on two replicas. */
  boolean isSameVersionAs(Interval other) {
    return epoch == other.epoch
        && predicateVersion == other.predicateVersion
        && term == other.term
        && instance.equals(other.instance)
        && version.equals(other.version);
  }

  /** Equal on all replicas. */
  static String versionOf(VariableVersion version) {
    return Write.versionOf(
        version.getKey().toStringUtf8(),
        version.getClock().toByteArray(),
        version.getTimestampMs());
  }

  static String instanceOf(io.palinode.wire.v1.IntervalRef ref) {
    return ref.getPredicate() + "|" + ref.getBinding();
  }

  @Override
  public String toString() {
    return "%s term %d at node %d.%d epoch %d [%s, %s] %s origin %s"
        .formatted(instance, term, node, incarnation, epoch, start, end, version, origin);
  }
}

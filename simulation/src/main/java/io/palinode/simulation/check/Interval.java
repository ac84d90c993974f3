package io.palinode.simulation.check;

import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A span in which a version made a term true at a node: from its write, or from the statement that
 * it was read, to the write that superseded it. An interval found by a scan is as the node's
 * detector published it.
 */
public final class Interval {
  final Watch watch;
  final int partition;
  final Write.Subject subject;
  final String version;

  /** The node that accepted the version first; null when that is not known, or is this node. */
  final @Nullable Integer origin;

  /** Whether it was found, not written. */
  final boolean found;

  /** Whether only the end was published, and names the start. */
  final boolean endOnly;

  /** Which one it is, however it is seen. */
  final Interval itself;

  /** Of a run, the intervals that it is made of. */
  final List<Interval> parts;

  /** From when on it counts. */
  final Hvc start;

  @Nullable Hvc end;

  /** The write that began it, and the one that ended it; null: not known, or none. */
  final @Nullable Write begunBy;

  @Nullable Write endedBy;

  private Interval(
      CandidateRecord record, int partition, Hvc start, String version, @Nullable Integer origin) {
    this.watch = watch(record);
    this.partition = partition;
    this.subject = subject(record);
    this.version = version;
    this.origin = origin;
    this.found = true;
    this.endOnly = record.hasClosed();
    this.start = start;
    this.begunBy = null;
    this.itself = this;
    this.parts = List.of(this);
  }

  /**
   * @param write that began it; null: a read did, of what this node has returned
   */
  private Interval(
      Watch watch,
      Write.Subject subject,
      int partition,
      String version,
      Hvc start,
      @Nullable Write write) {
    this.watch = watch;
    this.partition = partition;
    this.subject = subject;
    this.version = version;
    this.origin = write == null ? Integer.valueOf(watch.node()) : write.event().origin();
    this.found = false;
    this.endOnly = false;
    this.start = start;
    this.begunBy = write;
    this.itself = this;
    this.parts = List.of(this);
  }

  private Interval(Interval same, Hvc start, @Nullable Hvc end, List<Interval> parts) {
    this.watch = same.watch;
    this.partition = same.partition;
    this.subject = same.subject;
    this.version = same.version;
    this.origin = same.origin;
    this.found = same.found;
    this.endOnly = same.endOnly;
    this.itself = same.itself;
    this.parts = parts;
    this.start = start;
    this.end = end;
    this.begunBy = same.begunBy;
    this.endedBy = same.endedBy;
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
    return new Interval(
        write.watch(), write.subject(), partition, version, write.event().after(), write);
  }

  static Interval read(
      Watch watch, Write.Subject subject, int partition, String version, Hvc statedAt) {
    return new Interval(watch, subject, partition, version, statedAt, null);
  }

  private static IntervalRef ref(CandidateRecord record) {
    return record.hasOpened() ? record.getOpened().getInterval() : record.getClosed().getInterval();
  }

  private static Watch watch(CandidateRecord record) {
    long predicateVersion = ref(record).getPredicateVersion();
    return new Watch(
        record.getNode(), record.getIncarnation(), record.getEpoch(), predicateVersion);
  }

  private static Write.Subject subject(CandidateRecord record) {
    IntervalRef ref = ref(record);
    return new Write.Subject(ref.getPredicate() + "|" + ref.getBinding(), term(ref));
  }

  /** With distinct, the first member is the one that the instance is named after. */
  private static int term(IntervalRef ref) {
    String member = ref.getMember();
    if (member.isEmpty()) {
      return ref.getTerm();
    }
    String first = "a=" + member.substring(member.indexOf('=') + 1) + ",";
    return ref.getBinding().startsWith(first) ? 0 : 1;
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
    return watch.equals(watch(record))
        && subject.equals(subject(record))
        && start.own() == start(record).own()
        && version.equals(version(record));
  }

  /**
   * Whether the write is to its key at its node and removed its version. An interval that a node
   * dropped with a version of the predicate does not end: no closing is published.
   */
  boolean isEndedBy(Write write) {
    return end == null
        && watch.equals(write.watch())
        && subject.equals(write.subject())
        && version.startsWith(write.key() + "@")
        && !write.leaves(version);
  }

  Interval endingAt(@Nullable Hvc newEnd) {
    return new Interval(this, start, newEnd, parts);
  }

  /** The run that begins with it and counts from then on. */
  Interval counting(Hvc from, @Nullable Hvc until, List<Interval> of) {
    return new Interval(this, from, until, of.stream().map(part -> part.itself).toList());
  }

  void endBy(Write write) {
    end = write.event().before();
    endedBy = write;
  }

  /** Ends where its closing was published. */
  void publishedToEndAt(Hvc published) {
    if (end != null && end.own() != published.own()) {
      throw new BrokenInvariant(
          Invariant.INTERVALS, "published to end at %s: %s".formatted(published, this));
    }
    end = published;
  }

  /** Whether it has not ended before it counts. */
  boolean isLongEnough() {
    return end == null || end.owner() != start.owner() || end.own() >= start.own();
  }

  long violateWith(Interval other) {
    return Math.max(start.own(), other.start.own());
  }

  /** Whether this is of the first term, and the other of the second term of the same instance. */
  boolean pairsWith(Interval other) {
    return subject.term() == 0 && other.subject.equals(new Write.Subject(subject.instance(), 1));
  }

  /** Whether both are of one version in one epoch, perhaps on two replicas. */
  boolean isSameVersionAs(Interval other) {
    return watch.epoch() == other.watch.epoch()
        && watch.predicateVersion() == other.watch.predicateVersion()
        && subject.equals(other.subject)
        && version.equals(other.version);
  }

  /** Equal on all replicas. */
  static String versionOf(VariableVersion version) {
    return Write.versionOf(
        version.getKey().toStringUtf8(),
        version.getClock().toByteArray(),
        version.getTimestampMs());
  }

  @Override
  public String toString() {
    return "%s term %d at node %d.%d epoch %d [%s, %s] %s origin %s"
        .formatted(
            subject.instance(),
            subject.term(),
            watch.node(),
            watch.incarnation(),
            watch.epoch(),
            start,
            end,
            version,
            origin);
  }

  /** The HLC of a candidates record; null: it has none. */
  static @Nullable Hvc clock(CandidateRecord record) {
    return switch (record.getEventCase()) {
      case OPENED -> CandidateRecords.decode(record.getOpened().getStart());
      case CLOSED -> CandidateRecords.decode(record.getClosed().getEnd());
      case PROGRESS -> CandidateRecords.decode(record.getProgress().getHvc());
      case STOPPED -> CandidateRecords.decode(record.getStopped().getHvc());
      case GAP, EVENT_NOT_SET -> null;
    };
  }
}

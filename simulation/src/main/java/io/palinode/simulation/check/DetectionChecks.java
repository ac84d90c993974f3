package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.simulation.check.CoverageChecks.Losses;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import io.palinode.wire.v1.Witness;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tries every pair of intervals. The intervals are those of the writes as nodes committed them, and
 * of the reads that clients stated to nodes, whatever was published. Intervals found by a scan are
 * as the detectors published them.
 */
public final class DetectionChecks {
  /** By which a witness names an interval. */
  private record Place(int node, long incarnation, String instance, long sequence) {}

  private record Channel(int node, int partition) {}

  private record First(long incarnation, Hvc clock) {}

  private final boolean joined;
  private final TermRuns runs;
  private final Concurrency concurrency;
  private final int partitions;
  private final List<Interval> intervals = new ArrayList<>();
  private final List<Write> writes = new ArrayList<>();
  private final Map<Place, Interval> places = new HashMap<>();
  private final Map<Channel, List<First>> starts = new HashMap<>();
  private final Map<String, Violation> reported = new LinkedHashMap<>();
  private final Losses losses = new Losses();
  private final @Nullable SingleChecks single;
  private long judged;
  private boolean restarted;

  /** By the version that the job took up then. */
  private final TreeMap<Long, Long> judgedBefore = new TreeMap<>();

  /**
   * @param joined whether replicas of one version are one interval
   * @param single if violations have one interval; else null
   * @param partitions of the candidates' topic
   */
  public DetectionChecks(
      boolean joined, TermRuns runs, @Nullable SingleChecks single, int partitions) {
    this.single = single;
    this.joined = joined;
    this.runs = runs;
    this.partitions = partitions;
    this.concurrency = new Concurrency(runs.epsilonMicros());
  }

  /** A node has committed this while its detector watched. */
  public void wrote(Write write) {
    for (Interval interval : intervals) {
      if (interval.isEndedBy(write)) {
        interval.endBy(write);
      }
    }
    writes.add(write);
    String begun = write.begun();
    if (begun != null) {
      intervals.add(Interval.written(write, partitionOf(write.subject().instance()), begun));
    }
  }

  /** A node accepted the statement of a stale read for which no interval is open there. */
  public void readStale(Watch watch, Write.Subject subject, String version, Hvc statedAt) {
    int partition = partitionOf(subject.instance());
    intervals.add(Interval.read(watch, subject, partition, version, statedAt));
  }

  private int partitionOf(String instance) {
    return CandidateRecords.partition(CandidateRecords.keyBytes(instance), partitions);
  }

  /** A detector said this, whether it arrives or not. */
  public void said(CandidateRecord record, int partition) {
    Interval published = null;
    for (Interval interval : intervals) {
      published = interval.isOf(record) ? interval : published;
    }
    if (published == null && record.hasOpened() && !record.getOpened().getWriter().isEmpty()) {
      throw new BrokenInvariant(
          Invariant.INTERVALS,
          "published, and no client wrote it: " + Interval.found(record, partition));
    }
    if (published == null) {
      published = Interval.found(record, partition);
      endByEarlierWrites(published);
      intervals.add(published);
    }
    long sequence = record.getSequence();
    if (record.hasClosed()) {
      sequence = record.getClosed().getOpenedSequence();
      published.publishedToEndAt(CandidateRecords.decode(record.getClosed().getEnd()));
    }
    places.put(
        new Place(
            record.getNode(), record.getIncarnation(), published.subject.instance(), sequence),
        published);
  }

  /** A found interval may be published after its end. */
  private void endByEarlierWrites(Interval found) {
    for (Write write : writes) {
      Hvc before = write.event().before();
      if (before.own() >= found.start.own() && found.isEndedBy(write)) {
        found.endBy(write);
      }
    }
  }

  /** It came into the candidates' topic. */
  public void arrived(CandidateRecord record, int partition) {
    List<First> known =
        starts.computeIfAbsent(
            new Channel(record.getNode(), partition), channel -> new ArrayList<>());
    if (!known.isEmpty() && known.get(known.size() - 1).incarnation() >= record.getIncarnation()) {
      return;
    }
    Hvc clock = Interval.clock(record);
    if (clock != null) {
      known.add(new First(record.getIncarnation(), clock));
    }
  }

  /**
   * A violation came into the log.
   *
   * @param takenBack whether a rollback has undone it by then: its epoch no longer counts for
   *     judgement, and a restarted job may find it before it reads of the next epoch
   */
  public void reported(Violation violation, boolean takenBack) {
    boolean isNew = reported.put(violation.getId(), violation) == null;
    // The job may still find an interval of a gap, because an end names its start.
    if (isNew
        && violation.getViolate() <= judged
        && !takenBack
        && !isOfReplacedVersion(violation)
        && !isKnownLate(violation)) {
      throw new BrokenInvariant(
          Invariant.JUDGED,
          "%s was judged, then this came: %s"
              .formatted(Hlc.format(judged), BrokenInvariant.text(violation)));
    }
  }

  private boolean isKnownLate(Violation violation) {
    if (single != null) {
      // A restarted job may judge what was not judged before.
      return restarted && losses.haveTrigger(witness(violation, 0), Long.MAX_VALUE);
    }
    return (restarted && isPreceded(violation))
        || isBetter(violation)
        || isTouched(witness(violation, 0))
        || isTouched(witness(violation, 1));
  }

  /** A restarted job may find it before it reads again that the version was replaced. */
  private boolean isOfReplacedVersion(Violation violation) {
    return restarted && judgedBefore.higherKey(violation.getPredicateVersion()) != null;
  }

  /** A restarted job may find another pair than before, if a pair that is no later was reported. */
  private boolean isPreceded(Violation violation) {
    return reported.values().stream()
        .anyMatch(
            earlier ->
                !earlier.getId().equals(violation.getId())
                    && earlier.getEpoch() == violation.getEpoch()
                    && earlier.getBinding().equals(violation.getBinding())
                    && earlier.getViolate() <= violation.getViolate());
  }

  /**
   * That a pair is more than uncertain may show late, when another report, which is no later, has
   * named each of the two.
   */
  private boolean isBetter(Violation violation) {
    return violation.getGrade() != ViolationGrade.UNCERTAIN
        && isNamedBefore(violation, witness(violation, 0))
        && isNamedBefore(violation, witness(violation, 1));
  }

  private boolean isNamedBefore(Violation violation, @Nullable Interval interval) {
    return interval != null
        && reported.values().stream()
            .anyMatch(
                earlier ->
                    !earlier.getId().equals(violation.getId())
                        && earlier.getEpoch() == violation.getEpoch()
                        && earlier.getViolate() <= violation.getViolate()
                        && names(earlier, interval));
  }

  /** The job looks for this version of the predicate from now on, and for no earlier one. */
  public void detecting(long predicateVersion) {
    judgedBefore.putIfAbsent(predicateVersion, judged);
  }

  /** The job restarted from a checkpoint. */
  public void jobRestarted() {
    restarted = true;
  }

  public void judged(long hlc) {
    judged = Math.max(judged, hlc);
  }

  public void lost(CoverageLost loss) {
    losses.add(loss, judged);
  }

  /** What was reported, each once. */
  Collection<Violation> all() {
    return reported.values();
  }

  public int reports() {
    return reported.size();
  }

  public long judged() {
    return judged;
  }

  /** Throws unless each report is a violation of the history. */
  public void requireSound() {
    List<Interval> truth = truth();
    if (single != null) {
      single.requireSound(reported.values(), each -> witness(each, 0), truth);
      return;
    }
    for (Violation violation : reported.values()) {
      Interval a = counted(witness(violation, 0), truth);
      Interval b = counted(witness(violation, 1), truth);
      boolean holds =
          a != null
              && b != null
              && a.subject.term() != b.subject.term()
              && a.isLongEnough()
              && b.isLongEnough()
              && concurrency.areConcurrent(a, b);
      if (!holds && !isEndLost(a) && !isEndLost(b) && !isOfStaleVersion(violation)) {
        throw new BrokenInvariant(
            Invariant.SOUND, BrokenInvariant.text(violation) + " is of " + a + " and " + b);
      }
    }
  }

  /** As it counts: of joined replicas the one that stands for all. */
  private @Nullable Interval counted(@Nullable Interval published, List<Interval> truth) {
    for (Interval one : truth) {
      if (published != null && one.parts.contains(published)) {
        return runs.since(published, one);
      }
    }
    return published;
  }

  /**
   * Throws unless each violation of the history that no rollback undid is reported in time to be
   * undone: for both of its intervals, a report names the interval and lies no later.
   */
  public void requireCovering(ControlChecks control) {
    List<Interval> all = truth();
    if (single != null) {
      SingleChecks one = single;
      one.requireCovering(
          all,
          each ->
              one.violate(each) <= judgedOf(each.watch.predicateVersion())
                  && !isTakenBack(each, one.violate(each), control),
          each -> isReported(each) || one.isHidden(losses, each, one.violate(each)));
      return;
    }
    for (Interval a : all) {
      for (Interval b : all) {
        if (isViolation(a, b) && !isTakenBack(a, a.violateWith(b), control)) {
          long violate = a.violateWith(b);
          if (!isHidden(a, violate) && !isHidden(b, violate)) {
            requireNamed(a, violate, b);
            requireNamed(b, violate, a);
          }
        }
      }
    }
  }

  private boolean isReported(Interval interval) {
    return reported.values().stream().anyMatch(each -> names(each, interval));
  }

  /**
   * An epoch that a rollback leaves some of.
   *
   * @param began what held in the state with which it began may go on holding
   */
  record EpochLeft(long epoch, long began) {}

  /**
   * Throws if the history that remains of an epoch after an undo of some writes holds a violation.
   * Intervals that those writes had ended continue. Joined intervals only: they begin and end with
   * their versions.
   */
  void requireNothingStands(
      EpochLeft left, Predicate<String> isUndone, Predicate<Interval> isEndUndone) {
    if (!joined) {
      return;
    }
    List<Interval> stand =
        truth().stream()
            .filter(each -> each.watch.epoch() == left.epoch() && !isUndone.test(each.version))
            .map(interval -> interval.endingAt(endLeft(interval, isEndUndone)))
            .toList();
    for (Interval a : stand) {
      for (Interval b : stand) {
        if (a.violateWith(b) > left.began()
            && a.pairsWith(b)
            && concurrency.isPossible(a, b)
            && !isTouched(a)
            && !isTouched(b)
            && !isStale(a)
            && !isStale(b)) {
          throw new BrokenInvariant(
              Invariant.AFFECTED, "this violation is left: %s and %s".formatted(a, b));
        }
      }
    }
  }

  private @Nullable Hvc endLeft(Interval first, Predicate<Interval> isEndUndone) {
    List<Interval> replicas =
        intervals.stream()
            .filter(first::isSameVersionAs)
            .filter(each -> each.end != null && !isEndUndone.test(each))
            .toList();
    return JoinedReplicas.firstEnd(first, replicas);
  }

  private boolean isViolation(Interval a, Interval b) {
    return a.pairsWith(b)
        && a.isLongEnough()
        && b.isLongEnough()
        && a.watch.epoch() == b.watch.epoch()
        && a.watch.predicateVersion() == b.watch.predicateVersion()
        && a.violateWith(b) <= judgedOf(a.watch.predicateVersion())
        && concurrency.isPossible(a, b);
  }

  /** How far it was judged by a version of the predicate before the job took up another one. */
  private long judgedOf(long predicateVersion) {
    Map.Entry<Long, Long> next = judgedBefore.higherEntry(predicateVersion);
    return next == null ? judged : next.getValue();
  }

  private static boolean isTakenBack(Interval a, long violate, ControlChecks control) {
    for (long epoch = a.watch.epoch() + 1; epoch <= control.truth().epoch(); epoch++) {
      ControlChecks.Ended plan = control.ended(epoch);
      // A plan that undoes only some undoes what was reported, so that must have been.
      boolean undoesAll = plan != null && plan.concerned() == null;
      if (plan != null && (plan.abandoned() || (undoesAll && plan.target() < violate))) {
        return true;
      }
    }
    return false;
  }

  private void requireNamed(Interval interval, long violate, Interval other) {
    for (Violation violation : reported.values()) {
      if (violation.getEpoch() == interval.watch.epoch()
          && violation.getViolate() <= violate
          && names(violation, interval)) {
        return;
      }
    }
    throw new BrokenInvariant(
        Invariant.COVERING,
        "judged to %s, and no report names %s, which violates with %s"
            .formatted(Hlc.format(judged), interval, other));
  }

  private boolean names(Violation violation, Interval interval) {
    Interval a = witness(violation, 0);
    Interval b = single == null ? witness(violation, 1) : null;
    return (a != null && a.itself == interval.itself) || (b != null && b.itself == interval.itself);
  }

  private @Nullable Interval witness(Violation violation, int index) {
    Witness witness = violation.getWitnesses(index);
    String instance = violation.getPredicate() + "|" + violation.getBinding();
    return places.get(
        new Place(witness.getNode(), witness.getIncarnation(), instance, witness.getSequence()));
  }

  /**
   * A known gap: what a node finds of a version that it accepted itself, and that was superseded on
   * other nodes only, is taken for a new interval.
   */
  private boolean isOfStaleVersion(Violation violation) {
    return isStale(witness(violation, 0)) || isStale(witness(violation, 1));
  }

  private boolean isStale(@Nullable Interval found) {
    return joined
        && found != null
        && found.found
        && found.origin == null
        && intervals.stream()
            .anyMatch(
                ended ->
                    ended.isSameVersionAs(found)
                        && ended.end != null
                        && ended.end.own() < found.start.own());
  }

  /** A run may be hidden by a gap in any of its parts. */
  private boolean isHidden(Interval interval, long violate) {
    return runs.areNeeded() ? isTouched(interval) : isLostBefore(interval, violate);
  }

  /**
   * Whether its opening was not received in time, and this was published before any violation that
   * it begins was judged; or the same for its end at the first replica, as another replica's end
   * may have received later writes.
   */
  private boolean isLostBefore(Interval interval, long violate) {
    Hvc end = interval.end;
    return losses.hideStartBefore(violate, interval)
        || (joined && end != null && losses.hideBefore(violate, interval, end, end.owner()));
  }

  /** Its end was lost with its node's incarnation; a refused end is published late, in time. */
  private boolean isEndLost(@Nullable Interval interval) {
    if (interval == null) {
      return false;
    }
    Hvc end = interval.end;
    int node = end == null ? interval.watch.node() : end.owner();
    return losses.any(
        loss ->
            Losses.isOfNode(loss, node, interval)
                && !Losses.isOfSkipped(loss)
                && isOver(loss)
                && (end == null || Losses.isWithin(end, loss)));
  }

  /** Whether the incarnation of a gap has ended. */
  private boolean isOver(CoverageLost loss) {
    return !loss.hasNode()
        || starts.getOrDefault(new Channel(loss.getNode(), loss.getPartition()), List.of()).stream()
            .anyMatch(start -> start.incarnation() > loss.getIncarnation());
  }

  private boolean isTouched(@Nullable Interval interval) {
    return losses.touch(interval, joined);
  }

  // ---- the intervals as they count

  private List<Interval> truth() {
    return joined ? JoinedReplicas.of(intervals) : ended();
  }

  /** Intervals that an incarnation left open end right before the next incarnation. */
  private List<Interval> ended() {
    return runs.of(intervals.stream().map(interval -> interval.endingAt(endOf(interval))).toList());
  }

  private @Nullable Hvc endOf(Interval interval) {
    if (interval.end != null) {
      return interval.end;
    }
    for (First start :
        starts.getOrDefault(new Channel(interval.watch.node(), interval.partition), List.of())) {
      if (start.incarnation() > interval.watch.incarnation()) {
        return start.clock().withOwn(Math.max(start.clock().own() - 1, interval.start.own()));
      }
    }
    return null;
  }
}

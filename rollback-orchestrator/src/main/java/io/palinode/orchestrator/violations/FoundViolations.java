package io.palinode.orchestrator.violations;

import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of the violations log that no plan has settled. Immutable.
 *
 * @param judged every violation with {@code violate <= judged} is known
 * @param demands by epoch, predicate and first version that asks for rollbacks
 * @param waiting violations whose predicate is not known yet, oldest first
 * @param unrecorded coverage gaps that the control log does not hold yet, oldest first
 * @param lost how far the coverage gaps in the violations log reach
 * @param reportedEpoch this run has alerted that plans up to this epoch were abandoned
 */
public record FoundViolations(
    long judged,
    SortedMap<Demand.Key, DemandParts> demands,
    List<Waiting> waiting,
    List<CoverageLost> unrecorded,
    LostSpans lost,
    long reportedEpoch) {
  public static final long NOT_HELD = Long.MAX_VALUE;
  public static final int WAITING_MAX = 1_000;
  public static final int UNRECORDED_MAX = 1_000;
  public static final FoundViolations NONE =
      new FoundViolations(0, Collections.emptySortedMap(), List.of(), List.of(), LostSpans.NONE, 0);

  /** A violation that waits for its predicate. */
  public record Waiting(Violation violation, long sinceMicros) {}

  /** The greatest end of a coverage gap; {@link Long#MAX_VALUE}: one is not over. */
  public long lostTo() {
    return lost.end();
  }

  /** Whether no violation holds the safe point; a coverage gap may. */
  public boolean isSettled() {
    return demands.isEmpty() && waiting.isEmpty();
  }

  /** The demands of epochs before {@code epoch}, oldest first. */
  public Stream<Demand> demandsBefore(long epoch) {
    return demands.values().stream().map(DemandParts::all).filter(demand -> demand.epoch() < epoch);
  }

  public FoundViolations judgedTo(long hlc) {
    return hlc <= judged
        ? this
        : new FoundViolations(hlc, demands, waiting, unrecorded, lost, reportedEpoch);
  }

  public FoundViolations demanding(Demand demand) {
    SortedMap<Demand.Key, DemandParts> more = new TreeMap<>(demands);
    DemandParts known = more.get(demand.key());
    more.put(demand.key(), known == null ? DemandParts.of(demand) : known.and(demand));
    return withDemands(more);
  }

  public FoundViolations withoutDemands(Predicate<Demand> settled) {
    return left(demanded -> demanded.without(settled));
  }

  /**
   * Without demands that a safe point has passed. Another orchestrator wrote it and knew a
   * predicate change that this one has not read.
   */
  public FoundViolations withoutPassed(long safePoint) {
    return left(demanded -> demanded.after(safePoint));
  }

  private FoundViolations left(Function<DemandParts, @Nullable DemandParts> of) {
    SortedMap<Demand.Key, DemandParts> left = new TreeMap<>(demands);
    demands.keySet().forEach(key -> left.computeIfPresent(key, (same, known) -> of.apply(known)));
    return left.equals(demands) ? this : withDemands(left);
  }

  public FoundViolations waitingFor(Waiting newcomer) {
    return withWaiting(Stream.concat(waiting.stream(), Stream.of(newcomer)).toList());
  }

  public FoundViolations withoutWaiting(Predicate<Waiting> done) {
    return withWaiting(waiting.stream().filter(done.negate()).toList());
  }

  /** With a gap from the violations log, which the control log may already hold. */
  public FoundViolations losing(CoverageLost loss) {
    return new FoundViolations(judged, demands, waiting, unrecorded, lost.and(loss), reportedEpoch);
  }

  /** With a gap to record. Beyond the limit, the last entry covers all further gaps. */
  public FoundViolations withUnrecorded(CoverageLost loss) {
    CoverageLost one = Coverage.bounded(loss);
    if (unrecorded.contains(one)) {
      return this;
    }
    List<CoverageLost> more = new ArrayList<>(unrecorded);
    if (more.size() < UNRECORDED_MAX) {
      more.add(one);
    } else {
      more.add(both(more.remove(UNRECORDED_MAX - 1), one));
    }
    return withUnrecorded(List.copyOf(more));
  }

  private static CoverageLost both(CoverageLost last, CoverageLost further) {
    boolean hasEnd = last.getToHlc() != 0 && further.getToHlc() != 0;
    return CoverageLost.newBuilder()
        .setFromHlc(Math.min(last.getFromHlc(), further.getFromHlc()))
        .setToHlc(hasEnd ? Math.max(last.getToHlc(), further.getToHlc()) : 0)
        .setCause("more than %d coverage gaps were found at once".formatted(UNRECORDED_MAX))
        .build();
  }

  /** Without the gaps that the control log holds now. */
  public FoundViolations withoutRecorded(Predicate<CoverageLost> recorded) {
    return withUnrecorded(unrecorded.stream().filter(recorded.negate()).toList());
  }

  public FoundViolations reported(long epoch) {
    return new FoundViolations(judged, demands, waiting, unrecorded, lost, epoch);
  }

  private FoundViolations withUnrecorded(List<CoverageLost> newUnrecorded) {
    return new FoundViolations(judged, demands, waiting, newUnrecorded, lost, reportedEpoch);
  }

  private FoundViolations withDemands(SortedMap<Demand.Key, DemandParts> newDemands) {
    return new FoundViolations(
        judged,
        Collections.unmodifiableSortedMap(newDemands),
        waiting,
        unrecorded,
        lost,
        reportedEpoch);
  }

  private FoundViolations withWaiting(List<Waiting> newWaiting) {
    return new FoundViolations(judged, demands, newWaiting, unrecorded, lost, reportedEpoch);
  }
}

package io.palinode.orchestrator;

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
 * What the violations log says and is not settled yet. Immutable.
 *
 * @param judged every violation with {@code violate <= judged} is known
 * @param demands by epoch, predicate and since when that wanted rollbacks
 * @param waiting violations whose predicate is not known yet, oldest first
 * @param unrecorded coverage gaps that the control log does not hold yet, oldest first
 * @param lostTo the greatest end of a coverage gap in the violations log
 * @param reportedEpoch this run has alerted that plans up to this epoch were abandoned
 */
public record Findings(
    long judged,
    SortedMap<Demand.Key, Demanded> demands,
    List<Waiting> waiting,
    List<CoverageLost> unrecorded,
    long lostTo,
    long reportedEpoch) {
  public static final long NOT_HELD = Long.MAX_VALUE;
  static final int WAITING_MAX = 1_000;
  static final int UNRECORDED_MAX = 1_000;
  static final Findings NONE =
      new Findings(0, Collections.emptySortedMap(), List.of(), List.of(), 0, 0);

  /** A violation that waits for its predicate. */
  public record Waiting(Violation violation, long sinceMicros) {}

  /** Nothing keeps the safe point from what is judged, but perhaps a coverage gap. */
  public boolean isSettled() {
    return demands.isEmpty() && waiting.isEmpty();
  }

  /** Of epochs before that one, oldest first. */
  Stream<Demand> demandsBefore(long epoch) {
    return demands.values().stream().map(Demanded::all).filter(demand -> demand.epoch() < epoch);
  }

  Findings judgedTo(long hlc) {
    return hlc <= judged
        ? this
        : new Findings(hlc, demands, waiting, unrecorded, lostTo, reportedEpoch);
  }

  Findings demanding(Demand demand) {
    SortedMap<Demand.Key, Demanded> more = new TreeMap<>(demands);
    Demanded known = more.get(demand.key());
    more.put(demand.key(), known == null ? Demanded.of(demand) : known.and(demand));
    return withDemands(more);
  }

  Findings withoutDemands(Predicate<Demand> settled) {
    return left(demanded -> demanded.without(settled));
  }

  /**
   * Without what a safe point has passed, which is another orchestrator's then: it knew of a change
   * of the predicate that has not come here yet.
   */
  Findings withoutPassed(long safePoint) {
    return left(demanded -> demanded.after(safePoint));
  }

  private Findings left(Function<Demanded, @Nullable Demanded> of) {
    SortedMap<Demand.Key, Demanded> left = new TreeMap<>(demands);
    demands.keySet().forEach(key -> left.computeIfPresent(key, (same, known) -> of.apply(known)));
    return left.equals(demands) ? this : withDemands(left);
  }

  Findings waitingFor(Waiting newcomer) {
    return withWaiting(Stream.concat(waiting.stream(), Stream.of(newcomer)).toList());
  }

  Findings withoutWaiting(Predicate<Waiting> done) {
    return withWaiting(waiting.stream().filter(done.negate()).toList());
  }

  /** A gap was read, which the control log may hold already. */
  Findings losing(CoverageLost loss) {
    return new Findings(
        judged, demands, waiting, unrecorded, Math.max(lostTo, Coverage.end(loss)), reportedEpoch);
  }

  /** One more gap to be recorded. Beyond the limit, the last one stands for all further ones. */
  Findings withUnrecorded(CoverageLost loss) {
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

  /** Without those that the control log holds now. */
  Findings withoutRecorded(Predicate<CoverageLost> recorded) {
    return withUnrecorded(unrecorded.stream().filter(recorded.negate()).toList());
  }

  Findings reported(long epoch) {
    return new Findings(judged, demands, waiting, unrecorded, lostTo, epoch);
  }

  private Findings withUnrecorded(List<CoverageLost> newUnrecorded) {
    return new Findings(judged, demands, waiting, newUnrecorded, lostTo, reportedEpoch);
  }

  private Findings withDemands(SortedMap<Demand.Key, Demanded> newDemands) {
    return new Findings(
        judged,
        Collections.unmodifiableSortedMap(newDemands),
        waiting,
        unrecorded,
        lostTo,
        reportedEpoch);
  }

  private Findings withWaiting(List<Waiting> newWaiting) {
    return new Findings(judged, demands, newWaiting, unrecorded, lostTo, reportedEpoch);
  }
}

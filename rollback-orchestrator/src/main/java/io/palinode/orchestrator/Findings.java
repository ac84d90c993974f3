package io.palinode.orchestrator;

import io.palinode.wire.v1.Violation;
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
 * @param heldAt the safe point does not pass this, because of lost coverage; {@link #NOT_HELD}
 * @param heldUntilMicros when that hold is over by itself
 * @param losses lost ranges that were not acknowledged
 * @param lostTo the greatest end of a lost range, acknowledged or not, passed by the safe point or
 *     not: so the violations log alone tells it
 * @param acceptedEpoch plans up to this one that were abandoned are acknowledged too
 */
public record Findings(
    long judged,
    SortedMap<Demand.Key, Demanded> demands,
    List<Waiting> waiting,
    long heldAt,
    long heldUntilMicros,
    int losses,
    long lostTo,
    long acceptedEpoch) {
  public static final long NOT_HELD = Long.MAX_VALUE;
  static final int WAITING_MAX = 1_000;
  static final Findings NONE =
      new Findings(0, Collections.emptySortedMap(), List.of(), NOT_HELD, 0, 0, 0, 0);

  /** A violation that waits for its predicate. */
  public record Waiting(Violation violation, long sinceMicros) {}

  /** Nothing keeps the safe point from what is judged, but perhaps lost coverage. */
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
        : new Findings(
            hlc, demands, waiting, heldAt, heldUntilMicros, losses, lostTo, acceptedEpoch);
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

  /** A loss before the safe point holds nothing. What is {@code replayed} was counted before. */
  Findings losingWhatIsPassed(long toHlc, boolean replayed) {
    int more = losses + (replayed ? 0 : 1);
    return new Findings(
        judged,
        demands,
        waiting,
        heldAt,
        heldUntilMicros,
        more,
        Math.max(lostTo, end(toHlc)),
        acceptedEpoch);
  }

  /** A further loss prolongs the hold: coverage is still being lost. */
  Findings losing(long fromHlc, long toHlc, long untilMicros) {
    return new Findings(
        judged,
        demands,
        waiting,
        Math.min(heldAt, Math.max(0, fromHlc - 1)),
        Math.max(heldUntilMicros, untilMicros),
        losses + 1,
        Math.max(lostTo, end(toHlc)),
        acceptedEpoch);
  }

  /** A loss without an end may go on for ever. */
  private static long end(long toHlc) {
    return toHlc == 0 ? Long.MAX_VALUE : toHlc;
  }

  /** Without the hold, once its time is over; what was lost stays counted. */
  Findings at(long nowMicros) {
    return heldAt == NOT_HELD || nowMicros < heldUntilMicros
        ? this
        : new Findings(judged, demands, waiting, NOT_HELD, 0, losses, lostTo, acceptedEpoch);
  }

  /** All losses, and what was abandoned up to this epoch. */
  Findings acknowledged(long epoch) {
    return new Findings(judged, demands, waiting, NOT_HELD, 0, 0, lostTo, epoch);
  }

  private Findings withDemands(SortedMap<Demand.Key, Demanded> newDemands) {
    return new Findings(
        judged,
        Collections.unmodifiableSortedMap(newDemands),
        waiting,
        heldAt,
        heldUntilMicros,
        losses,
        lostTo,
        acceptedEpoch);
  }

  private Findings withWaiting(List<Waiting> newWaiting) {
    return new Findings(
        judged, demands, newWaiting, heldAt, heldUntilMicros, losses, lostTo, acceptedEpoch);
  }
}

package io.palinode.detector;

import io.palinode.detector.Emission.Event;
import io.palinode.detector.Emission.Late;
import io.palinode.detector.Emission.KeyState;
import java.util.Comparator;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a detector has seen and could not tell: the ring had no room for it, or Kafka refused it.
 * While there is any the node does not say how far it has come, so whoever reads its progress knows
 * of all that was before, however late it was told. Guarded by the order of writes.
 *
 * <p>Ends are never dropped: each keeps the room of its interval. Of states the oldest is, when
 * there are more than {@code statesMax}.
 */
final class Unpublished {
  /** What Kafka refuses comes back late, behind what was dropped after it. */
  private static final Comparator<Late> OLDEST_FIRST =
      Comparator.comparingLong(Late::hlc)
          .thenComparingInt(Late::partition)
          .thenComparingLong(Late::sequence);

  private final CandidateRing ring;
  private final int statesMax;

  /** Intervals that are open. Oldest first, as the next two. */
  private final TreeSet<OpenInterval> openings =
      new TreeSet<>(
          Comparator.comparingLong((OpenInterval interval) -> interval.start().own())
              .thenComparingInt(OpenInterval::partition)
              .thenComparingLong(OpenInterval::sequence));

  /** Of intervals that were told to begin, or not. */
  private final Queue<Late> ends = new PriorityQueue<>(OLDEST_FIRST);

  private final Queue<Late> states = new PriorityQueue<>(OLDEST_FIRST);

  Unpublished(CandidateRing ring, int statesMax) {
    this.ring = ring;
    this.statesMax = statesMax;
  }

  boolean isEmpty() {
    return openings.isEmpty() && ends.isEmpty() && states.isEmpty();
  }

  int ends() {
    return ends.size();
  }

  void add(OpenInterval opening) {
    openings.add(opening);
  }

  void remove(OpenInterval opening) {
    openings.remove(opening);
  }

  /** The oldest, if it is what comes next of all; else null. */
  @Nullable OpenInterval nextOpening() {
    Late late = nextLate();
    boolean comesNext =
        !openings.isEmpty() && (late == null || openings.first().start().own() <= late.hlc());
    return comesNext ? openings.first() : null;
  }

  private @Nullable Late nextLate() {
    Late end = ends.peek();
    Late state = states.peek();
    return end == null || (state != null && state.hlc() < end.hlc()) ? state : end;
  }

  /** The state that was dropped for it; null: there was room. */
  @Nullable Late add(Late late) {
    Queue<Late> kept = late instanceof KeyState ? states : ends;
    kept.add(late);
    return kept == ends || kept.size() <= statesMax ? null : kept.remove();
  }

  /**
   * Adds the event that is next in its partition to the ring; else it is part of a gap. While
   * anything is untold, nothing later is told: it would show an interval that is over as one that
   * holds, and a state that is gone, and say that all before it was told.
   *
   * @param allTold whether nothing was untold before the event got its sequence: what is told in
   *     another order than it is numbered counts as told before
   */
  boolean tell(Event event, boolean allTold) {
    if (allTold) {
      return ring.add(event);
    }
    ring.lost(event.lost());
    return false;
  }

  /**
   * Adds the oldest end or state to the ring, with the time at which it was. There must be one.
   * False when the ring refused it, and it is here still.
   *
   * @param sequences the last of each partition, which this counts on
   */
  boolean tellNext(long[] sequences) {
    Late late = Objects.requireNonNull(nextLate());
    boolean told = ring.add(late.withSequence(++sequences[late.partition()]));
    if (told) {
      (late instanceof KeyState ? states : ends).remove();
    }
    return told;
  }

  /** Drops what is of these terms. */
  void forget(Predicate<WatchedTerm> terms) {
    openings.removeIf(interval -> terms.test(interval.holding().term()));
    ends.removeIf(end -> terms.test(end.term()));
    states.removeIf(state -> terms.test(state.term()));
  }

  void clear() {
    openings.clear();
    ends.clear();
    states.clear();
  }
}

package io.palinode.detector;

import io.palinode.detector.Emission.Event;
import io.palinode.detector.Emission.Late;
import io.palinode.detector.Emission.Told;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a detector has seen and could not tell: the ring had no room for it, or Kafka refused it.
 * While there is any the node does not say how far it has come, so whoever reads its progress knows
 * of all that was before, however late it was told. Guarded by the order of writes.
 *
 * <p>Ends are never dropped: each keeps the room of its interval. Of states the oldest is, when
 * there are more than {@code statesMax}.
 */
final class Untold {
  private final CandidateRing ring;
  private final int statesMax;

  /** Intervals that are open. Oldest first, as the next two. */
  private final Set<OpenInterval> openings = new LinkedHashSet<>();

  /** Of intervals that were told to begin, or not. */
  private final Deque<Late> ends = new ArrayDeque<>();

  private final Deque<Late> states = new ArrayDeque<>();

  Untold(CandidateRing ring, int statesMax) {
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

  /** At most so many, the oldest first. */
  List<OpenInterval> openings(int max) {
    return openings.stream().limit(max).toList();
  }

  /** False when another one, a state, was dropped for it. */
  boolean add(Late late) {
    Deque<Late> kept = late instanceof Told ? states : ends;
    kept.add(late);
    return kept == ends || kept.size() <= statesMax || kept.remove() == null;
  }

  /**
   * Adds the event that is next in its partition to the ring; else it is part of a gap. While an
   * end, or a state, is untold, nothing later is told: it would show an interval that is over as
   * one that holds, and a state that is gone.
   *
   * @param endsTold what {@link #tellEnds} said before the event got its sequence: what is told in
   *     another order than it is numbered counts as told before
   */
  boolean tell(Event event, boolean endsTold) {
    if (endsTold) {
      return ring.add(event);
    }
    ring.lost(event.lost());
    return false;
  }

  /**
   * Adds ends and states to the ring, with the times at which they were. Whether none is left.
   *
   * @param sequences the last of each partition, which this counts on
   */
  boolean tellEnds(long[] sequences) {
    return tell(ends, sequences) && tell(states, sequences);
  }

  private boolean tell(Deque<Late> kept, long[] sequences) {
    while (!kept.isEmpty() && ring.hasRoom(1)) {
      Late late = kept.element();
      if (!ring.add(late.toldAs(++sequences[late.partition()]))) {
        return false;
      }
      kept.remove();
    }
    return kept.isEmpty();
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

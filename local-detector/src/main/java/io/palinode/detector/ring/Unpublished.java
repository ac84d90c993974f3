package io.palinode.detector.ring;

import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Event;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.ring.Emission.Late;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.OpenIntervals;
import io.palinode.detector.terms.WatchedTerm;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Events that a detector could not publish: the ring was full, or Kafka refused them. Guarded by
 * the order of writes. While there is one the node publishes no progress, so progress covers every
 * late event before it.
 *
 * <p>Ends are never dropped: each keeps the room of its interval. If there are more than {@code
 * statesMax} key states, or their clocks are long, the oldest are dropped.
 */
public final class Unpublished {
  /** An event that Kafka refused is added after events that the ring refused later. */
  private static final Comparator<Late> OLDEST_FIRST =
      Comparator.comparingLong(Late::hlc)
          .thenComparingInt(Late::partition)
          .thenComparingLong(Late::sequence);

  private final CandidateRing ring;
  private final int statesMax;

  /** Of the states; of the ends, what versions that ended them may take. */
  private final long bytesMax;

  /** Open intervals, the oldest first. */
  private final TreeSet<OpenInterval> openings =
      new TreeSet<>(
          Comparator.comparingLong((OpenInterval interval) -> interval.start().own())
              .thenComparingInt(OpenInterval::partition)
              .thenComparingLong(OpenInterval::sequence));

  /** Ends of intervals, whether their opening was published or not. */
  private final Queue<Late> ends = new PriorityQueue<>(OLDEST_FIRST);

  /** The versions of all ends. */
  private long endBytes;

  private final Queue<KeyState> states = new PriorityQueue<>(OLDEST_FIRST);

  private long stateBytes;

  public Unpublished(CandidateRing ring, int statesMax) {
    this.ring = ring;
    this.statesMax = statesMax;
    this.bytesMax = statesMax * OpenIntervals.BYTES_EACH;
  }

  public boolean isEmpty() {
    return openings.isEmpty() && ends.isEmpty() && states.isEmpty();
  }

  public int ends() {
    return ends.size();
  }

  /** The size of the versions of all ends. */
  public long endBytes() {
    return endBytes;
  }

  public void add(OpenInterval opening) {
    openings.add(opening);
  }

  public void remove(OpenInterval opening) {
    openings.remove(opening);
  }

  /** The oldest opening if it is the oldest event; else null. */
  public @Nullable OpenInterval nextOpening() {
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

  /**
   * Returns the states that were dropped for the new event. Without room, an end is kept without
   * the version that ended it; its time is a gap already.
   */
  public List<KeyState> add(Late late) {
    if (late instanceof KeyState state) {
      return addState(state);
    }
    boolean isLong = endBytes + late.versionBytes() > bytesMax;
    Late end = isLong && late instanceof Closed closed ? closed.withoutEndedBy() : late;
    ends.add(end);
    endBytes += end.versionBytes();
    return List.of();
  }

  private List<KeyState> addState(KeyState state) {
    states.add(state);
    stateBytes += state.versionBytes();
    List<KeyState> dropped = new ArrayList<>(0);
    while (states.size() > statesMax || stateBytes > bytesMax) {
      dropped.add(removeState());
    }
    return dropped;
  }

  private KeyState removeState() {
    KeyState oldest = states.remove();
    stateBytes -= oldest.versionBytes();
    return oldest;
  }

  /**
   * Adds the next event of its partition to the ring; false if it became part of a gap. While an
   * event waits here, no later event is added: it would show an ended interval or a replaced state
   * as current, and say that all events before it are published.
   *
   * @param publishedAll whether this was empty before the event got its sequence; events that got
   *     sequences out of their order count as published before
   */
  public boolean publish(Event event, boolean publishedAll) {
    if (publishedAll) {
      return ring.add(event);
    }
    ring.lost(event.lost());
    return false;
  }

  /**
   * Adds the oldest end or state to the ring, with its own time. There must be one. False if the
   * ring refused it; it then stays here.
   *
   * @param sequences the last sequence of each partition; incremented
   */
  public boolean publishNext(long[] sequences) {
    Late late = Objects.requireNonNull(nextLate());
    boolean published = ring.add(late.withSequence(++sequences[late.partition()]));
    if (published && late instanceof KeyState) {
      removeState();
    } else if (published) {
      ends.remove();
      endBytes -= late.versionBytes();
    }
    return published;
  }

  /** Drops the events of these terms. */
  public void forget(Predicate<WatchedTerm> terms) {
    openings.removeIf(interval -> terms.test(interval.holding().term()));
    ends.removeIf(end -> terms.test(end.term()));
    endBytes = ends.stream().mapToLong(Late::versionBytes).sum();
    states.removeIf(state -> terms.test(state.term()));
    stateBytes = states.stream().mapToLong(KeyState::versionBytes).sum();
  }

  public void clear() {
    openings.clear();
    ends.clear();
    endBytes = 0;
    states.clear();
    stateBytes = 0;
  }
}

package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.hvc.Hvc;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Events that wait for the progress of all nodes, in the order of their HLCs; of equal ones first
 * openings, then ends, then restarts, then in the order of arrival. A restart counts from right
 * before its node's first event, as the ends that it causes do. Not thread-safe.
 */
final class WaitingEvents {
  private static final Comparator<Event> ORDER =
      Comparator.comparingLong(Event::at)
          .thenComparingInt(Event::kind)
          .thenComparingLong(Event::rank);

  private static final int OPENING = 0;
  private static final int END = 1;
  private static final int RESTART = 2;

  private final TreeSet<Event> events = new TreeSet<>(ORDER);
  // How many openings there are of a version.
  private final Map<Opening, Integer> openings = new HashMap<>();
  private long ranks;

  /**
   * @param id of the interval; of a restart, its incarnation
   * @param candidate null for a restart
   * @param endedBy of an interval that ended, the version that did it; else empty
   * @param clock of the event
   */
  record Event(
      long rank, CandidateId id, @Nullable Candidate candidate, String endedBy, Hvc clock) {
    long at() {
      return candidate == null ? clock.own() - 1 : clock.own();
    }

    int kind() {
      return candidate == null ? RESTART : candidate.interval().isOpen() ? OPENING : END;
    }
  }

  private record Opening(TermRuns.Place place, String version) {}

  boolean isEmpty() {
    return events.isEmpty();
  }

  int size() {
    return events.size();
  }

  Iterable<Event> all() {
    return events;
  }

  /** The HLC of the first one; {@code Long.MAX_VALUE} if there is none. */
  long nextAt() {
    return events.isEmpty() ? Long.MAX_VALUE : events.first().at();
  }

  /** Whether the first one ends intervals at {@code hlc}: what ends then still holds then. */
  boolean isNextAnEndAt(long hlc) {
    return nextAt() == hlc && !events.isEmpty() && events.first().kind() != OPENING;
  }

  void add(CandidateId id, @Nullable Candidate candidate, String endedBy, Hvc clock) {
    events.add(new Event(++ranks, id, candidate, endedBy, clock));
    if (candidate != null && candidate.interval().isOpen()) {
      openings.merge(opening(candidate, candidate.version()), 1, Integer::sum);
    }
  }

  /** Removes and returns the first one; there is one. */
  Event next() {
    Event next = events.pollFirst();
    forget(next);
    return next;
  }

  /** Removes and returns the first opening; null if there is none. */
  @Nullable Candidate forgetOpening() {
    for (Iterator<Event> all = events.iterator(); all.hasNext(); ) {
      Event event = all.next();
      Candidate candidate = event.candidate();
      if (candidate != null && candidate.interval().isOpen()) {
        all.remove();
        forget(event);
        return candidate;
      }
    }
    return null;
  }

  private void forget(Event event) {
    Candidate candidate = event.candidate();
    if (candidate != null && candidate.interval().isOpen()) {
      openings.computeIfPresent(
          opening(candidate, candidate.version()),
          (same, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }
  }

  /** Whether {@code version} opens an interval of the term and member of {@code ended}, there. */
  boolean opens(Candidate ended, String version) {
    return !version.isEmpty() && openings.containsKey(opening(ended, version));
  }

  /** Whether the node's beginning of the incarnation waits. */
  boolean begins(int node, long incarnation) {
    return events.stream()
        .anyMatch(
            event ->
                event.candidate() == null
                    && event.id().node() == node
                    && event.id().incarnation() >= incarnation);
  }

  private static Opening opening(Candidate candidate, String version) {
    return new Opening(TermRuns.Place.of(candidate), Objects.requireNonNull(version));
  }
}

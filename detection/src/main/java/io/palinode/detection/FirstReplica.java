package io.palinode.detection;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Joins the intervals of a version's replicas into one ({@code replicas: first}): it starts where
 * the version was accepted first, and ends where it was superseded first.
 *
 * <ul>
 *   <li>A copy (origin known, and another node) starts nothing.
 *   <li>If an end arrives before its start, the end waits here.
 *   <li>State found after a restart or a rollback has no origin, and may have been found elsewhere
 *       earlier; it waits here until no earlier one can come, so that the order of arrival changes
 *       nothing.
 * </ul>
 *
 * Not thread-safe.
 */
public final class FirstReplica {
  /** Which interval, whatever the replica. */
  public record Key(int clause, int term, String member, String version)
      implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparingInt(Key::clause)
            .thenComparingInt(Key::term)
            .thenComparing(Key::member)
            .thenComparing(Key::version);

    public static Key of(Candidate candidate) {
      return new Key(candidate.clause(), candidate.term(), candidate.member(), candidate.version());
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  private static final Comparator<Hvc> EARLIEST =
      Comparator.comparingLong(Hvc::own).thenComparingInt(Hvc::owner);

  private final TreeMap<Key, Hvc> ends = new TreeMap<>();
  private final TreeMap<Key, Candidate> found = new TreeMap<>();

  public Map<Key, Hvc> ends() {
    return ends;
  }

  public Map<Key, Candidate> found() {
    return found;
  }

  public int size() {
    return ends.size() + found.size();
  }

  /**
   * A version's name without its time, as nodes of earlier releases publish it: {@code …@clock} of
   * {@code …@clock.time}, the clock in hexadecimal. Null when it has none.
   */
  public static @Nullable String untimed(String version) {
    int clock = version.lastIndexOf('@');
    int time = version.lastIndexOf('.');
    return clock >= 0 && time > clock ? version.substring(0, time) : null;
  }

  /** Whether {@code end} moves {@code known} back, and is not of an earlier run of the version. */
  public static boolean isEarlier(Hvc start, @Nullable Hvc known, Hvc end) {
    boolean earlierRun = end.owner() == start.owner() && end.own() < start.own();
    return !earlierRun && (known == null || EARLIEST.compare(end, known) < 0);
  }

  /** An end whose start has not arrived. */
  public void end(Key key, Hvc end) {
    ends.merge(key, end, (known, other) -> EARLIEST.compare(other, known) < 0 ? other : known);
  }

  /** State found with an unknown origin. */
  public void find(Candidate candidate) {
    found.merge(
        Key.of(candidate),
        candidate,
        (known, other) ->
            EARLIEST.compare(other.interval().start(), known.interval().start()) < 0
                ? other
                : known);
  }

  /** The interval that starts with {@code opening}; what waited for it here is used up. */
  public Candidate start(Candidate opening) {
    Key key = Key.of(opening);
    Hvc start = opening.interval().start();
    found.remove(key);
    Hvc end = ends.remove(key);
    return end != null && isEarlier(start, null, end)
        ? opening.over(new Interval(start, end))
        : opening;
  }

  /** Starts what was found and cannot have been found earlier elsewhere. */
  public List<Candidate> settle(Predicate<Hvc> isFirst) {
    List<Candidate> settled = new ArrayList<>();
    for (Candidate candidate : List.copyOf(found.values())) {
      if (isFirst.test(candidate.interval().start())) {
        settled.add(start(candidate));
      }
    }
    return settled;
  }

  /** Forgets ends before {@code progress}: what they ended is no longer kept. */
  public void forgetBefore(long progress) {
    ends.entrySet()
        .removeIf(entry -> entry.getValue().own() < progress && !found.containsKey(entry.getKey()));
  }

  /** Forgets one thing that waits; there must be one. */
  public void forgetOne() {
    Iterator<Key> keys = (ends.isEmpty() ? found : ends).keySet().iterator();
    keys.next();
    keys.remove();
  }

  /** The progress with which something that waits here no longer does. */
  public long wakeAt() {
    long wake = Long.MAX_VALUE;
    for (Map.Entry<Key, Hvc> end : ends.entrySet()) {
      // Else it waits for what was found, which is looked at below.
      if (!found.containsKey(end.getKey())) {
        wake = Math.min(wake, end.getValue().own() + 1);
      }
    }
    for (Candidate candidate : found.values()) {
      wake = Math.min(wake, candidate.interval().start().own());
    }
    return wake;
  }

  /** Joins the candidates of a whole trace. Those without a version stand for themselves. */
  public static List<Candidate> join(List<Candidate> trace) {
    FirstReplica replicas = new FirstReplica();
    for (Candidate candidate : trace) {
      Hvc end = candidate.interval().end();
      if (end != null && !candidate.version().isEmpty()) {
        replicas.end(Key.of(candidate), end);
      }
    }
    Map<Key, Candidate> starts = new TreeMap<>();
    List<Candidate> joined = new ArrayList<>();
    for (Candidate candidate : trace) {
      if (candidate.isCopy()) {
        continue;
      }
      if (candidate.version().isEmpty()) {
        joined.add(candidate);
      } else {
        starts.merge(Key.of(candidate), candidate, FirstReplica::first);
      }
    }
    starts.values().forEach(start -> joined.add(replicas.start(start.over(opened(start)))));
    return joined;
  }

  private static Interval opened(Candidate candidate) {
    return new Interval(candidate.interval().start(), null);
  }

  /** Where the version was accepted goes before where it was found; then the earliest. */
  private static Candidate first(Candidate one, Candidate other) {
    if ((one.origin() == null) != (other.origin() == null)) {
      return one.origin() == null ? other : one;
    }
    return EARLIEST.compare(other.interval().start(), one.interval().start()) < 0 ? other : one;
  }
}

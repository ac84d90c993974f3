package io.palinode.detection.stream;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The runs of terms. A run is the time in which a term holds on one node without a break: intervals
 * that overlap, and each interval that the write which ended another one opened. A run of a
 * variable of a sum has one value. A run counts once it has lasted for the time of its clause.
 * Events are taken in the order of their HLCs. Not thread-safe.
 */
final class TermRuns {
  private static final Comparator<Run> BY_DUE =
      Comparator.comparingLong(Run::due).thenComparingLong(run -> run.rank);

  /**
   * A term, or a member of it, on one node.
   *
   * @param amount of a variable of a sum, whose runs are of one value each; else null
   */
  record Place(int clause, int term, String member, int node, @Nullable BigDecimal amount) {
    static Place of(Candidate candidate) {
      BigDecimal amount = candidate.amount();
      return new Place(
          candidate.clause(),
          candidate.term(),
          candidate.member(),
          candidate.id().node(),
          amount == null ? null : amount.stripTrailingZeros());
    }
  }

  /** One run. */
  static final class Run {
    /** The interval that began it, still open. */
    private final Candidate first;

    private final long due;
    private final long rank;
    // Those that are open now.
    private final Set<CandidateId> open = new LinkedHashSet<>(2);
    // Of the last interval that ended; null while one is open.
    private @Nullable Hvc end;
    // The version whose interval continues the run; empty while one is open.
    private String continuedBy = "";
    private boolean counts;

    Run(Candidate first, long due, long rank) {
      this.first = first;
      this.due = due;
      this.rank = rank;
    }

    Candidate first() {
      return first;
    }

    /** The own HLC at which it has lasted for its time. */
    long due() {
      return due;
    }

    boolean counts() {
      return counts;
    }

    Set<CandidateId> open() {
      return open;
    }

    @Nullable Hvc end() {
      return end;
    }

    String continuedBy() {
      return continuedBy;
    }

    void restore(Collection<CandidateId> ids, @Nullable Hvc at, String version, boolean isOld) {
      open.addAll(ids);
      end = at;
      continuedBy = version;
      counts = isOld;
    }

    private Candidate endedAt(Hvc at) {
      return first.over(new Interval(first.interval().start(), at));
    }
  }

  private final DetectionSpec spec;
  private final Map<Place, Run> runs = new HashMap<>();
  private final TreeSet<Run> young = new TreeSet<>(BY_DUE);
  private long ranks;

  TermRuns(DetectionSpec spec) {
    this.spec = spec;
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  /** How many have not lasted for their time. */
  int young() {
    return young.size();
  }

  /**
   * The least HLC at which a run has lasted for its time; {@code Long.MAX_VALUE} if none is due.
   */
  long dueAt() {
    return young.isEmpty() ? Long.MAX_VALUE : young.first().due;
  }

  /** The first run that is due counts from now on. Returns the interval that began it. */
  Candidate nextCounts() {
    Run run = young.pollFirst();
    run.counts = true;
    return run.first;
  }

  /** An interval opened. Returns the run that ended before it, if that counts; else null. */
  @Nullable Candidate opened(Candidate opening) {
    Place place = Place.of(opening);
    Run run = runs.get(place);
    boolean continues =
        run != null && (!run.open.isEmpty() || run.continuedBy.equals(opening.version()));
    if (run != null && continues) {
      run.open.add(opening.id());
      run.end = null;
      run.continuedBy = "";
      return null;
    }
    Hvc end = run == null ? null : run.end;
    Candidate ended = run == null || end == null ? null : end(place, run, end);
    begin(place, opening).open.add(opening.id());
    return ended;
  }

  private Run begin(Place place, Candidate first) {
    Run run = new Run(first, spec.countsFrom(first).own(), ++ranks);
    runs.put(place, run);
    young.add(run);
    return run;
  }

  /**
   * An interval ended. Returns its run, if that counts and ended with it; else null.
   *
   * @param continuedBy the version that ended the interval, if the same write opened an interval of
   *     the term; else empty
   */
  @Nullable Candidate closed(Candidate closing, Hvc end, String continuedBy) {
    Place place = Place.of(closing);
    Run run = runs.get(place);
    // Of one whose opening never arrived, it is not known since when the term holds.
    if (run == null || !run.open.remove(closing.id()) || !run.open.isEmpty()) {
      return null;
    }
    if (continuedBy.isEmpty()) {
      return end(place, run, end);
    }
    run.end = end;
    run.continuedBy = continuedBy;
    return null;
  }

  /** The interval that should continue a run does not come. Returns the run if it counts. */
  @Nullable Candidate notContinued(Candidate missing) {
    Place place = Place.of(missing);
    Run run = runs.get(place);
    Hvc end = run == null ? null : run.end;
    return run != null && end != null && run.continuedBy.equals(missing.version())
        ? end(place, run, end)
        : null;
  }

  private @Nullable Candidate end(Place place, Run run, Hvc end) {
    runs.remove(place);
    young.remove(run);
    return run.counts ? run.endedAt(end) : null;
  }

  /** The node has begun an incarnation: runs of earlier ones end. Those that count are known. */
  void endEarlier(int node, long incarnation) {
    runs.values()
        .removeIf(
            run -> {
              CandidateId id = run.first.id();
              boolean ends = id.node() == node && id.incarnation() < incarnation;
              return ends && (young.remove(run) || run.counts);
            });
  }

  /** Forgets the run that would count first; there is one. */
  void forgetYoung() {
    Run run = young.pollFirst();
    runs.remove(Place.of(run.first));
  }

  /** In an order that follows from the state alone. */
  List<Run> all() {
    Map<Long, Run> byRank = new TreeMap<>();
    runs.values().forEach(run -> byRank.put(run.rank, run));
    return new ArrayList<>(byRank.values());
  }

  /** Adds one of {@link #all}, in their order. */
  Run restore(Candidate first, boolean counts) {
    Run run = begin(Place.of(first), first);
    if (counts) {
      young.remove(run);
    }
    return run;
  }
}

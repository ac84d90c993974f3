package io.palinode.detection.trace;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Joins the intervals of one instance at one node into runs, where clauses have {@code for}: those
 * of a term that overlap, and each with the one that the write which ended it opened. Runs that are
 * too short are left out. Other clauses' intervals stay as they are. Memory: one run for each term
 * and member; of a sum, one for each of its values. Not thread-safe.
 */
public final class RunJoin {
  private final DetectionSpec spec;
  private final long until;
  private final Map<Place, Run> runs = new LinkedHashMap<>();

  /**
   * @param amount of a variable of a sum, whose runs are of one value each; else null
   */
  private record Place(int clause, int term, String member, @Nullable BigDecimal amount) {
    static Place of(Candidate candidate) {
      BigDecimal amount = candidate.amount();
      return new Place(
          candidate.clause(),
          candidate.term(),
          candidate.member(),
          amount == null ? null : amount.stripTrailingZeros());
    }
  }

  /**
   * @param end of the interval that ends last; null while one is open
   * @param endedBy the version that ended it
   */
  private record Run(Candidate first, @Nullable Hvc end, String endedBy) {
    boolean continues(Candidate next) {
      return end == null
          || next.interval().start().own() <= end.own()
          || (!endedBy.isEmpty() && endedBy.equals(next.version()));
    }

    Run with(Candidate next, String nextEndedBy) {
      Hvc nextEnd = next.interval().end();
      boolean endsLater = nextEnd == null || (end != null && nextEnd.own() > end.own());
      return end != null && endsLater ? new Run(first, nextEnd, nextEndedBy) : this;
    }
  }

  /**
   * @param until the last own HLC of the trace: it is known until then that what is open holds
   */
  public RunJoin(DetectionSpec spec, long until) {
    this.spec = spec;
    this.until = until;
  }

  /** Takes the next interval by start, and passes a run that ended before it on. */
  public void take(Candidate next, String endedBy, Consumer<Candidate> joined) {
    if (!spec.clauses().get(next.clause()).lasts()) {
      joined.accept(next);
      return;
    }
    Place place = Place.of(next);
    Run run = runs.get(place);
    if (run != null && run.continues(next)) {
      runs.put(place, run.with(next, endedBy));
    } else {
      Run ended = runs.put(place, new Run(next, next.interval().end(), endedBy));
      pass(ended, joined);
    }
  }

  /** Passes the rest on; the next interval is of another node or instance. */
  public void end(Consumer<Candidate> joined) {
    runs.values().forEach(run -> pass(run, joined));
    runs.clear();
  }

  private void pass(@Nullable Run run, Consumer<Candidate> joined) {
    if (run == null) {
      return;
    }
    Hvc end = run.end();
    if (spec.countsFrom(run.first()).own() <= (end == null ? until : end.own())) {
      joined.accept(run.first().over(new Interval(run.first().interval().start(), end)));
    }
  }

  /** A whole trace of one instance, in any order; {@code endedBy} is asked of each interval. */
  public static List<Candidate> join(
      DetectionSpec spec, List<Candidate> trace, Function<Candidate, String> endedBy) {
    RunJoin join = new RunJoin(spec, last(trace));
    List<Candidate> joined = new ArrayList<>();
    for (int node = 0; node < spec.nodes(); node++) {
      int of = node;
      trace.stream()
          .filter(candidate -> candidate.id().node() == of)
          .sorted(Comparator.comparingLong(candidate -> candidate.interval().start().own()))
          .forEach(candidate -> join.take(candidate, endedBy.apply(candidate), joined::add));
      join.end(joined::add);
    }
    return joined;
  }

  private static long last(List<Candidate> trace) {
    long last = 0;
    for (Candidate candidate : trace) {
      Hvc end = candidate.interval().end();
      last = Math.max(last, (end == null ? candidate.interval().start() : end).own());
    }
    return last;
  }
}

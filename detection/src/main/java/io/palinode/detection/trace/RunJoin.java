package io.palinode.detection.trace;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Joins the intervals of one instance at one node into runs, where clauses have {@code for}: those
 * of a term that overlap, and each with the one that the write which ended it opened. Runs that are
 * too short are left out. Other clauses' intervals stay as they are. Memory: a run for each term
 * and member; of a sum, one for each value that still stands. Not thread-safe.
 */
public final class RunJoin {
  private final DetectionSpec spec;
  private final long until;
  private final Map<Place, Runs> runs = new LinkedHashMap<>();

  private record Place(int clause, int term, String member) {}

  /**
   * @param end of the interval that ends last; null while one is open
   * @param endedBy the version that ended it
   */
  private record Run(Candidate first, @Nullable Hvc end, String endedBy) {
    static Run of(Candidate first, String endedBy) {
      return new Run(first, first.interval().end(), endedBy);
    }

    boolean isOpenAt(Candidate next) {
      return next.interval().start().own() <= endOwn();
    }

    long endOwn() {
      return end == null ? Long.MAX_VALUE : end.own();
    }

    boolean continues(Candidate next) {
      return isOpenAt(next) || (!endedBy.isEmpty() && endedBy.equals(next.version()));
    }

    Run with(Candidate next, String nextEndedBy) {
      Hvc nextEnd = next.interval().end();
      boolean endsLater = nextEnd == null || (end != null && nextEnd.own() > end.own());
      return end != null && endsLater ? new Run(first, nextEnd, nextEndedBy) : this;
    }
  }

  /** The runs of one place that later intervals can continue: one of each value. */
  private static final class Runs {
    // The key of a term that is not of a sum is null.
    private final Map<@Nullable BigDecimal, Run> ofValue = new HashMap<>(2);
    // Also what a run was before it was continued: that is skipped.
    private final PriorityQueue<Run> byEnd =
        new PriorityQueue<>(1, Comparator.comparingLong(Run::endOwn));

    /** Takes the next interval by start, and passes on what no later interval can continue. */
    void take(Candidate next, String endedBy, Consumer<Run> ended) {
      Run before = ofValue.get(value(next));
      if (before != null && !before.continues(next)) {
        ended.accept(before);
        before = null;
      }
      Run run = before == null ? Run.of(next, endedBy) : before.with(next, endedBy);
      if (!run.equals(before)) {
        ofValue.put(value(next), run);
        byEnd.add(run);
      }
      for (Run each = byEnd.peek(); each != null && !each.isOpenAt(next); each = byEnd.peek()) {
        byEnd.remove();
        if (ofValue.remove(value(each.first()), each)) {
          ended.accept(each);
        }
      }
    }
  }

  private static @Nullable BigDecimal value(Candidate candidate) {
    BigDecimal amount = candidate.amount();
    return amount == null ? null : amount.stripTrailingZeros();
  }

  /**
   * @param until the last own HLC of the trace: it is known until then that what is open holds
   */
  public RunJoin(DetectionSpec spec, long until) {
    this.spec = spec;
    this.until = until;
  }

  /** Takes the next interval by start, and passes runs on that ended before it. */
  public void take(Candidate next, String endedBy, Consumer<Candidate> joined) {
    if (!spec.clauses().get(next.clause()).lasts()) {
      joined.accept(next);
      return;
    }
    runs.computeIfAbsent(new Place(next.clause(), next.term(), next.member()), place -> new Runs())
        .take(next, endedBy, run -> pass(run, joined));
  }

  /** Passes the rest on; the next interval is of another node or instance. */
  public void end(Consumer<Candidate> joined) {
    runs.values().forEach(of -> of.ofValue.values().forEach(run -> pass(run, joined)));
    runs.clear();
  }

  private void pass(Run run, Consumer<Candidate> joined) {
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

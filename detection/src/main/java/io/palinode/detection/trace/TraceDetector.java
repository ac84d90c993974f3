package io.palinode.detection.trace;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.FirstReplica;
import io.palinode.detection.Witness;
import io.palinode.detection.search.Budget;
import io.palinode.detection.search.CliqueSearch;
import io.palinode.detection.search.Finding;
import io.palinode.detection.search.Retained;
import io.palinode.detection.search.WatchedClause;
import io.palinode.hvc.Grade;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Detection on a recorded trace of one predicate instance, with the queues and the search of {@link
 * InstanceDetector}. Everything is certain from the start. An open interval is unbounded. Pure.
 */
public final class TraceDetector {
  /** Heads are looked at with every interval; what is behind them, once there is twice as much. */
  private static final int SCAN_MIN = 64;

  private static final int DROPPED_SHARE = 8;

  /** What is reported of a trace. */
  public enum Report {
    /** One witness, of the least {@link Witness#violate}. */
    FIRST,
    /**
     * For each grade, and each interval that takes part in a witness of at least the grade, one of
     * at least the grade that has the least {@link Witness#violate} of them.
     */
    COVER,
    /** Every witness. */
    ALL
  }

  private TraceDetector() {}

  /**
   * How far a trace was judged.
   *
   * @param dropped intervals that were dropped unjudged because too many had to be kept
   * @param searchesCut searches that were stopped before their end
   * @param waiting triggers of {@code within} whose time is not over at the end of the trace
   * @param completeBefore all violations with {@link Witness#violate} below this own time were
   *     judged; {@code Long.MAX_VALUE} when all were
   */
  public record Extent(long dropped, long searchesCut, long waiting, long completeBefore) {
    /** Nothing was left unjudged. */
    public static final Extent WHOLE = new Extent(0, 0, 0, Long.MAX_VALUE);

    /** Of a predicate without {@code within}. */
    Extent(long dropped, long searchesCut, long completeBefore) {
      this(dropped, searchesCut, 0, completeBefore);
    }

    public boolean isWhole() {
      return dropped == 0 && searchesCut == 0 && waiting == 0;
    }
  }

  /**
   * What detection may take.
   *
   * @param retainedMax intervals that are kept
   * @param budget of the searches, maybe of several instances
   */
  public record Bounds(int retainedMax, Budget budget) {}

  /**
   * As {@link #detect(DetectionSpec, TraceSource, Report, Bounds, Consumer, Runnable)}, without a
   * limit. {@code trace} holds candidates in any order; those of replicas are joined if the
   * predicate says so, and those of runs where they overlap. O(trace) memory.
   */
  public static void detect(
      DetectionSpec spec,
      List<Candidate> trace,
      Report report,
      Consumer<Witness> witnesses,
      Runnable judged) {
    trace.forEach(spec::require);
    List<Candidate> joined =
        spec.replicas() == ReplicaRule.FIRST
            ? FirstReplica.join(trace)
            : RunJoin.join(spec, trace, candidate -> "");
    TraceSource source = TraceSource.of(spec.nodes(), joined);
    Bounds none = new Bounds(Integer.MAX_VALUE, new Budget(Long.MAX_VALUE));
    detect(spec, source, report, none, witnesses, judged);
  }

  /**
   * The intervals that the candidates of one version make on its replicas, joined: at most one a
   * term ({@code replicas: first}). {@code ofOneVersion}: all of the instance's candidates that
   * name the version.
   */
  public static List<Candidate> join(List<Candidate> ofOneVersion) {
    return FirstReplica.join(ofOneVersion);
  }

  /**
   * Passes witnesses of a clause on in the order of {@link Witness#violate}. {@code trace} is
   * joined already, and is read once; {@code judged} is run after each interval.
   *
   * <p>Memory: what is not yet before all that follows: intervals that overlap, and open ones until
   * the end; {@code retainedMax} of them at most. When that is met the oldest are dropped, and the
   * result says from when on violations may be missing; so it does when a search is stopped.
   * Whatever is passed on is one. Time: for {@code COVER}, that of one {@link CliqueSearch} for an
   * interval while nothing is violated; for {@code ALL}, of every witness.
   */
  public static Extent detect(
      DetectionSpec spec,
      TraceSource trace,
      Report report,
      Bounds bounds,
      Consumer<Witness> witnesses,
      Runnable judged) {
    if (bounds.retainedMax() < 1 || trace.nodes().size() != spec.nodes()) {
      throw new IllegalArgumentException(
          "a trace has a cursor a node, and something is kept: nodes=%d cursors=%d retainedMax=%d"
              .formatted(spec.nodes(), trace.nodes().size(), bounds.retainedMax()));
    }
    return new Run(spec, trace, bounds).detect(report, witnesses, judged);
  }

  /** One pass over the trace. */
  private static final class Run {
    private final DetectionSpec spec;
    private final TraceSource trace;
    private final TraceHorizon horizon;
    private final Bounds bounds;
    private final long cutBefore;
    private final List<WatchedClause> clauses = new ArrayList<>();
    private int retained;
    private int scanAt;
    private Extent extent = Extent.WHOLE;

    Run(DetectionSpec spec, TraceSource trace, Bounds bounds) {
      this.spec = spec;
      this.trace = trace;
      this.horizon = new TraceHorizon(spec.causality(), trace);
      this.bounds = bounds;
      this.cutBefore = bounds.budget().cut();
      this.scanAt = Math.min(SCAN_MIN, bounds.retainedMax());
      for (ClauseShape shape : spec.clauses()) {
        clauses.add(
            new WatchedClause(clauses.size(), shape, spec.nodes(), horizon, bounds.budget()));
      }
    }

    Extent detect(Report report, Consumer<Witness> witnesses, Runnable judged) {
      Witness first = null;
      for (Candidate next = trace.take(); next != null; next = trace.take()) {
        if (first != null && next.interval().start().own() >= first.violate()) {
          break;
        }
        spec.require(next);
        WatchedClause clause = clauses.get(next.clause());
        Retained newest = new Retained(next, spec.countsFrom(next));
        clause.add(newest);
        if (report == Report.ALL) {
          clause.enumerate(newest, witnesses);
        } else {
          for (Finding found : clause.judge(newest, Grade.UNCERTAIN)) {
            Witness witness = found.witness();
            if (report == Report.COVER) {
              witnesses.accept(witness);
            } else if (first == null || witness.violate() < first.violate()) {
              first = witness;
            }
          }
        }
        noteCut(next);
        drop(next);
        judged.run();
      }
      if (first != null) {
        witnesses.accept(first);
      }
      return extent;
    }

    private void drop(Candidate newest) {
      clauses.forEach(clause -> clause.dropHeads(horizon::isPassed));
      if (++retained >= scanAt) {
        clauses.forEach(clause -> clause.dropAll(horizon::isPassed));
        retained = size();
        if (retained >= bounds.retainedMax()) {
          dropOldest(newest);
          retained = size();
        }
        scanAt = Math.min(Math.max(SCAN_MIN, 2 * retained), bounds.retainedMax());
      }
    }

    /** An eighth at once, so that it costs little for each. */
    private void dropOldest(Candidate newest) {
      List<Long> starts = new ArrayList<>(retained);
      clauses.forEach(clause -> clause.forEach(interval -> starts.add(interval.startOwn())));
      Collections.sort(starts);
      long upTo = starts.get(retained / DROPPED_SHARE);
      clauses.forEach(clause -> clause.dropAll(interval -> interval.startOwn() <= upTo));
      extent =
          new Extent(extent.dropped() + retained - size(), extent.searchesCut(), since(newest));
    }

    /** What a search may have missed begins with the newest interval. */
    private void noteCut(Candidate newest) {
      long cut = bounds.budget().cut() - cutBefore;
      if (cut > extent.searchesCut()) {
        extent = new Extent(extent.dropped(), cut, since(newest));
      }
    }

    /** All that had begun before was judged with all that it could go with. */
    private long since(Candidate newest) {
      return Math.min(extent.completeBefore(), newest.interval().start().own());
    }

    private int size() {
      return clauses.stream().mapToInt(WatchedClause::size).sum();
    }
  }
}

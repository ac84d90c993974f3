package io.palinode.detection;

import io.palinode.hvc.Grade;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Detection on a recorded trace of one predicate instance, with the queues and the search of {@link
 * InstanceDetector}. Everything is certain from the start, and nothing is cut short. An open
 * interval is unbounded. Pure.
 */
public final class TraceDetector {
  /** Heads are looked at with every interval; what is behind them, once there is twice as much. */
  private static final int SCAN_MIN = 64;

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
   * Passes witnesses on in the order of {@link Witness#violate}. {@code trace}: candidates of one
   * node in the order of their starts, of different nodes in any order; how nodes are interleaved
   * does not change the result.
   *
   * <p>Memory: what is not yet before all that follows, O(trace) at worst. Time: for {@code COVER},
   * that of one {@link CliqueSearch} for an interval while nothing is violated; for {@code ALL}, of
   * every witness. {@code judged} is run after each interval.
   */
  public static void detect(
      DetectionSpec spec,
      List<Candidate> trace,
      Report report,
      Consumer<Witness> witnesses,
      Runnable judged) {
    trace.forEach(spec::require);
    new Run(spec, inOrderOfStarts(spec, trace)).detect(report, witnesses, judged);
  }

  private static List<Candidate> inOrderOfStarts(DetectionSpec spec, List<Candidate> trace) {
    List<Candidate> ordered =
        new ArrayList<>(spec.replicas() == ReplicaRule.FIRST ? FirstReplica.join(trace) : trace);
    ordered.sort(
        Comparator.comparingLong((Candidate candidate) -> candidate.interval().start().own())
            .thenComparingInt(candidate -> candidate.id().node()));
    return ordered;
  }

  /** One pass over the trace. */
  private static final class Run {
    private final List<Candidate> trace;
    private final TraceHorizon horizon;
    private final List<WatchedClause> clauses = new ArrayList<>();
    private int retained;
    private int scanAt = SCAN_MIN;

    Run(DetectionSpec spec, List<Candidate> trace) {
      this.trace = trace;
      this.horizon = new TraceHorizon(spec.nodes(), spec.causality(), trace);
      for (ClauseShape shape : spec.clauses()) {
        clauses.add(
            new WatchedClause(clauses.size(), shape, spec.nodes(), horizon, Long.MAX_VALUE));
      }
    }

    void detect(Report report, Consumer<Witness> witnesses, Runnable judged) {
      for (Candidate candidate : trace) {
        WatchedClause clause = clauses.get(candidate.clause());
        Retained newest = new Retained(candidate);
        horizon.take(newest.node());
        clause.add(newest);
        if (report == Report.ALL) {
          clause.enumerate(newest, witnesses);
        } else {
          for (Finding found : clause.judge(newest, Grade.UNCERTAIN)) {
            witnesses.accept(found.witness());
            if (report == Report.FIRST) {
              return;
            }
          }
        }
        drop();
        judged.run();
      }
    }

    private void drop() {
      clauses.forEach(clause -> clause.dropHeads(horizon::isPassed));
      if (++retained >= scanAt) {
        clauses.forEach(clause -> clause.dropAll(horizon::isPassed));
        retained = clauses.stream().mapToInt(WatchedClause::size).sum();
        scanAt = Math.max(SCAN_MIN, 2 * retained);
      }
    }
  }
}

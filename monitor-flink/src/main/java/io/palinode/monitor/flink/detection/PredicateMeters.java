package io.palinode.monitor.flink.detection;

import io.palinode.wire.v1.ViolationGrade;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * What the job counts of each predicate, in the metric group {@code predicate=<name>} of the
 * detection operator. Not thread-safe.
 */
final class PredicateMeters {
  /** Each one costs memory, and lines in every scrape; further predicates are {@code other}. */
  static final int PREDICATES_MAX = 500;

  private static final String OTHER = "other";

  private final MetricGroup operator;
  private final Map<String, OfOne> byName = new HashMap<>();

  PredicateMeters(MetricGroup operator) {
    this.operator = operator;
  }

  OfOne of(String predicate) {
    String label =
        byName.containsKey(predicate) || byName.size() < PREDICATES_MAX ? predicate : OTHER;
    return byName.computeIfAbsent(label, name -> new OfOne(operator.addGroup("predicate", name)));
  }

  /** The counters of one predicate. */
  static final class OfOne {
    /** Openings and closings that were applied. */
    private final Counter candidates;

    /** Template instances that are kept; after a restore, as far as they were looked at since. */
    private final Counter instances;

    /** Candidates that could not be used, and limits that detection met. */
    private final Counter coverageLost;

    /** Violations that cannot be decided to be phantoms or not. */
    private final Counter phantomsUndecided;

    private final Map<ViolationGrade, Counter> violations = new EnumMap<>(ViolationGrade.class);

    private OfOne(MetricGroup group) {
      candidates = group.counter("candidates");
      instances = group.counter("instances");
      coverageLost = group.counter("coverageLost");
      phantomsUndecided = group.counter("phantomsUndecided");
      for (ViolationGrade grade :
          new ViolationGrade[] {
            ViolationGrade.UNCERTAIN, ViolationGrade.POSSIBLE, ViolationGrade.DEFINITE
          }) {
        violations.put(
            grade,
            group.addGroup("grade", grade.name().toLowerCase(Locale.ROOT)).counter("violations"));
      }
    }

    void candidate() {
      candidates.inc();
    }

    void instanceKept() {
      instances.inc();
    }

    void instanceDropped() {
      instances.dec();
    }

    void coverageLost(long times) {
      coverageLost.inc(times);
    }

    void phantomUndecided() {
      phantomsUndecided.inc();
    }

    /** A report, also of a grade that rose. */
    void violation(ViolationGrade grade) {
      Counter counter = violations.get(grade);
      if (counter != null) {
        counter.inc();
      }
    }
  }
}

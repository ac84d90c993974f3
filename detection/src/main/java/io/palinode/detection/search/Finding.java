package io.palinode.detection.search;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.Witness;
import io.palinode.hvc.Grade;
import java.util.Arrays;
import java.util.List;

/** A clique that was found, in the order of terms, and its grade. */
public record Finding(int clause, List<Retained> intervals, Grade grade) {
  /** The grade of two intervals. */
  public interface PairGrade {
    public Grade of(Retained i, Retained j);
  }

  /** The grade is what is known of it now. */
  public static Finding of(int clause, Horizon horizon, Retained... intervals) {
    Grade grade = new Concurrent(horizon, intervals).grade();
    return new Finding(clause, List.of(intervals), grade);
  }

  /** The names of its intervals, in their order. */
  public List<CandidateId> ids() {
    CandidateId[] ids = new CandidateId[intervals.size()];
    Arrays.setAll(ids, i -> intervals.get(i).id());
    return List.of(ids);
  }

  /** The least of the pairs' grades; of a single interval, {@link Grade#DEFINITE}. */
  public static Grade least(List<Retained> intervals, PairGrade pairs) {
    Grade least = Grade.DEFINITE;
    for (int i = 0; i < intervals.size(); i++) {
      for (int j = i + 1; j < intervals.size(); j++) {
        least = least.least(pairs.of(intervals.get(i), intervals.get(j)));
      }
    }
    return least;
  }

  /** The greatest own-node start: see {@link Witness#violate}. */
  static long violate(List<Retained> intervals) {
    long violate = 0;
    for (Retained interval : intervals) {
      violate = Math.max(violate, interval.startOwn());
    }
    return violate;
  }

  static long violate(Retained... intervals) {
    long violate = 0;
    for (Retained interval : intervals) {
      violate = Math.max(violate, interval.startOwn());
    }
    return violate;
  }

  /** As it stands now. */
  public Witness witness() {
    List<Candidate> candidates = intervals.stream().map(Retained::candidate).toList();
    return new Witness(clause, candidates, grade, Witness.first(candidates), violate(intervals));
  }
}

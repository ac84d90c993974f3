package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The slow, obvious oracle: every combination of one candidate a term is tried. The order and the
 * grade of a pair are written here once more, sentence by sentence as they are defined.
 */
final class BruteForce {
  private final Causality causality;

  BruteForce(Causality causality) {
    this.causality = causality;
  }

  /** All witnesses of a trace, with the grades that they have in the end. */
  static List<Witness> witnesses(DetectionSpec spec, List<Candidate> trace) {
    BruteForce oracle = new BruteForce(spec.causality());
    List<Witness> witnesses = new ArrayList<>();
    for (int clause = 0; clause < spec.termsPerClause().size(); clause++) {
      Candidate[] chosen = new Candidate[spec.termsPerClause().get(clause)];
      oracle.choose(clause, 0, chosen, trace, witnesses);
    }
    return witnesses;
  }

  private void choose(
      int clause, int term, Candidate[] chosen, List<Candidate> trace, List<Witness> witnesses) {
    if (term == chosen.length) {
      witnesses.add(new Witness(clause, Arrays.asList(chosen.clone()), gradeOf(chosen)));
      return;
    }
    for (Candidate candidate : trace) {
      if (candidate.clause() == clause && candidate.term() == term) {
        boolean concurrent = true;
        for (int i = 0; i < term; i++) {
          concurrent &= areConcurrent(chosen[i].interval(), candidate.interval());
        }
        if (concurrent) {
          chosen[term] = candidate;
          choose(clause, term + 1, chosen, trace, witnesses);
        }
      }
    }
  }

  private Grade gradeOf(Candidate[] chosen) {
    Grade least = Grade.DEFINITE;
    for (int i = 0; i < chosen.length; i++) {
      for (int j = 0; j < i; j++) {
        Grade grade = grade(chosen[i].interval(), chosen[j].interval());
        least = grade.compareTo(least) < 0 ? grade : least;
      }
    }
    return least;
  }

  boolean areConcurrent(Interval i, Interval j) {
    return !happenedBefore(i, j) && !happenedBefore(j, i);
  }

  boolean happenedBefore(Interval i, Interval j) {
    Hvc end = i.end();
    if (end == null) {
      return false;
    }
    if (end.owner() == j.start().owner()) {
      return end.own() < j.start().own();
    }
    boolean far =
        causality.uncertainty() == Uncertainty.CAUSAL
            || causality.epsilon().equals(Epsilon.INFINITE)
            || physical(end) <= physical(j.start()) - causality.epsilon().micros();
    return isLess(end, j.start()) && far;
  }

  Grade grade(Interval i, Interval j) {
    if (startedBeforeEnd(i.start(), j.end()) && startedBeforeEnd(j.start(), i.end())) {
      return Grade.DEFINITE;
    }
    Hvc endOfI = i.end();
    Hvc endOfJ = j.end();
    boolean ordered =
        (endOfI != null && isLess(endOfI, j.start()))
            || (endOfJ != null && isLess(endOfJ, i.start()));
    return ordered ? Grade.UNCERTAIN : Grade.POSSIBLE;
  }

  private boolean startedBeforeEnd(Hvc start, @org.jspecify.annotations.Nullable Hvc end) {
    if (end == null) {
      return true;
    }
    if (start.owner() == end.owner()) {
      return start.own() <= end.own();
    }
    boolean byClocks =
        !causality.epsilon().equals(Epsilon.INFINITE)
            && physical(end) - physical(start) > causality.epsilon().micros();
    return isLess(start, end) || byClocks;
  }

  private static boolean isLess(Hvc u, Hvc v) {
    boolean less = false;
    for (int node = 0; node < u.nodes(); node++) {
      if (u.get(node) > v.get(node)) {
        return false;
      }
      if (u.get(node) < v.get(node)) {
        less = true;
      }
    }
    return less;
  }

  private static long physical(Hvc hvc) {
    return Hlc.micros(hvc.get(hvc.owner()));
  }
}

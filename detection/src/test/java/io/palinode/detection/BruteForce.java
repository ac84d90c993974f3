package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The slow, obvious oracle: every combination of candidates is tried. The order and the grade of a
 * pair are written here once more, sentence by sentence as they are defined.
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
    for (int clause = 0; clause < spec.clauses().size(); clause++) {
      ClauseShape shape = spec.clauses().get(clause);
      for (List<Integer> terms :
          shape.isDistinct() ? List.of(sameTerm(shape)) : combinations(shape)) {
        oracle.choose(clause, shape, terms, new ArrayList<>(), trace, witnesses);
      }
    }
    return witnesses;
  }

  private static List<Integer> sameTerm(ClauseShape shape) {
    return Collections.nCopies(shape.intervalsMax(), 0);
  }

  /** Those of {@code distinct} in the order of members. */
  private static boolean isNextMember(ClauseShape shape, List<Candidate> chosen, Candidate next) {
    return !shape.isDistinct()
        || chosen.isEmpty()
        || chosen.get(chosen.size() - 1).member().compareTo(next.member()) < 0;
  }

  /** The sets of terms that have to hold together. */
  private static List<List<Integer>> combinations(ClauseShape shape) {
    int locals = shape.termsOf().size();
    int count = shape.rule() instanceof ClauseRule.AtLeast some ? some.count() : locals;
    List<List<Integer>> combinations = new ArrayList<>();
    for (int set = 0; set < 1 << locals; set++) {
      if (Integer.bitCount(set) == count) {
        List<Integer> terms = new ArrayList<>();
        for (int term = 0; term < shape.terms(); term++) {
          if ((set & (1 << localOf(shape, term))) != 0) {
            terms.add(term);
          }
        }
        combinations.add(terms);
      }
    }
    return combinations;
  }

  private static int localOf(ClauseShape shape, int term) {
    int local = 0;
    for (int before = shape.termsOf().get(0); before <= term; local++) {
      before += shape.termsOf().get(local + 1);
    }
    return local;
  }

  private void choose(
      int clause,
      ClauseShape shape,
      List<Integer> terms,
      List<Candidate> chosen,
      List<Candidate> trace,
      List<Witness> witnesses) {
    if (chosen.size() == terms.size()) {
      if (holds(shape, chosen)) {
        witnesses.add(new Witness(clause, List.copyOf(chosen), gradeOf(chosen)));
      }
      return;
    }
    for (Candidate candidate : trace) {
      boolean ofTerm = candidate.clause() == clause && candidate.term() == terms.get(chosen.size());
      if (ofTerm
          && isNextMember(shape, chosen, candidate)
          && chosen.stream()
              .allMatch(other -> areConcurrent(other.interval(), candidate.interval()))) {
        chosen.add(candidate);
        choose(clause, shape, terms, chosen, trace, witnesses);
        chosen.remove(chosen.size() - 1);
      }
    }
  }

  /** What a clause asks beside that its terms are concurrent. */
  private static boolean holds(ClauseShape shape, List<Candidate> chosen) {
    for (Candidate one : shape.isDistinct() ? List.<Candidate>of() : chosen) {
      for (Candidate other : chosen) {
        boolean together = localOf(shape, one.term()) == localOf(shape, other.term());
        if (together && one.id().node() != other.id().node()) {
          return false;
        }
      }
    }
    return !(shape.rule() instanceof ClauseRule.Sum sum) || sum.holds(Shapes.sum(sum, chosen));
  }

  private Grade gradeOf(List<Candidate> chosen) {
    Grade least = Grade.DEFINITE;
    for (int i = 0; i < chosen.size(); i++) {
      for (int j = 0; j < i; j++) {
        Grade grade = grade(chosen.get(i).interval(), chosen.get(j).interval());
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

package io.palinode.benchmarks;

import io.palinode.detection.Candidate;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Order;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * The simple way: a list of intervals; each one that ends is tried with every combination of those
 * that have ended. It asks less of itself than {@link Streaming}: it says nothing of an interval
 * before its end, and does not report a rise of a grade. Each combination is reported.
 */
final class EveryCombination implements Detector {
  private final Causality causality;
  private final ClauseShape shape;
  private final int terms;
  private final List<Candidate> kept = new ArrayList<>();

  EveryCombination(DetectionSpec spec) {
    this.causality = spec.causality();
    this.shape = spec.clauses().get(0);
    this.terms = shape.intervalsMax();
  }

  @Override
  public List<Witness> opened(Candidate candidate) {
    kept.add(candidate);
    return List.of();
  }

  @Override
  public List<Witness> closed(Candidate candidate) {
    kept.removeIf(opened -> opened.id().equals(candidate.id()));
    List<Witness> found = new ArrayList<>();
    Candidate[] chosen = new Candidate[terms];
    chosen[place(candidate)] = candidate;
    choose(0, chosen, found);
    kept.add(candidate);
    return found;
  }

  private void choose(int term, Candidate[] chosen, List<Witness> found) {
    if (term == terms && !holds(chosen)) {
      return;
    }
    if (term == terms) {
      found.add(new Witness(0, List.of(chosen), grade(chosen)));
    } else if (chosen[term] != null) {
      choose(term + 1, chosen, found);
    } else {
      for (Candidate candidate : kept) {
        if (place(candidate) == term && !candidate.interval().isOpen() && fits(candidate, chosen)) {
          chosen[term] = candidate;
          choose(term + 1, chosen, found);
          chosen[term] = null;
        }
      }
    }
  }

  /** The term, or the number of the member. */
  private static int place(Candidate candidate) {
    return candidate.member().isEmpty()
        ? candidate.term()
        : Integer.parseInt(candidate.member().substring("m=".length()));
  }

  private boolean holds(Candidate[] chosen) {
    BigDecimal sum = BigDecimal.ZERO;
    for (Candidate each : chosen) {
      sum = each.amount() == null ? sum : sum.add(each.amount());
    }
    return !(shape.rule() instanceof ClauseRule.Sum rule) || rule.holds(sum);
  }

  private boolean fits(Candidate candidate, Candidate[] chosen) {
    for (Candidate other : chosen) {
      if (other != null
          && causality.order(candidate.interval(), other.interval()) != Order.CONCURRENT) {
        return false;
      }
    }
    return true;
  }

  private Grade grade(Candidate[] chosen) {
    Grade least = Grade.DEFINITE;
    for (int i = 0; i < terms; i++) {
      for (int j = i + 1; j < terms; j++) {
        least = least.least(causality.grade(chosen[i].interval(), chosen[j].interval()));
      }
    }
    return least;
  }

  @Override
  public List<Witness> progress(long hlc) {
    long before = Math.min(hlc, leastOpenStart());
    kept.removeIf(candidate -> passedAt(candidate.interval()) <= before);
    return List.of();
  }

  /** What is open may go with whatever had not ended when it began. */
  private long leastOpenStart() {
    long least = Long.MAX_VALUE;
    for (Candidate candidate : kept) {
      if (candidate.interval().isOpen()) {
        least = Math.min(least, candidate.interval().start().own());
      }
    }
    return least;
  }

  @Override
  public long wakeAt() {
    long least = Long.MAX_VALUE;
    for (Candidate candidate : kept) {
      least = Math.min(least, passedAt(candidate.interval()));
    }
    return least;
  }

  private long passedAt(Interval interval) {
    return interval.end() == null
        ? Long.MAX_VALUE
        : Hlc.ofMicros(Hlc.micros(interval.end().own()) + 1 + 2 * causality.epsilon().micros());
  }
}

package io.palinode.detection;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * What of a clause is not decided yet, at one moment: the intervals for which an end to come may
 * still turn out to be too early for some grade, and those whose own end may still move back (which
 * can make concurrent what was ordered, because the earliest of several nodes' ends need not be
 * before the others).
 *
 * <p>A grade that no report of an interval can rise to now is not waited for: something else has to
 * be decided first, and is waited for.
 */
final class Pending {
  private static final BitSet NONE = new BitSet();

  private final ConjunctiveClause clause;
  private final Knowledge knowledge;
  private final boolean joined;
  private final List<Retained> waiting = new ArrayList<>();
  // Of each term, when the last of its intervals ends; with joined replicas, wherever that is.
  private final long[] lastEnds;

  Pending(ConjunctiveClause clause, Knowledge knowledge, boolean joined) {
    this.clause = clause;
    this.knowledge = knowledge;
    this.joined = joined;
    this.lastEnds = new long[clause.terms()];
    Arrays.fill(lastEnds, -1);
    clause.forEach(
        interval -> {
          Hvc end = interval.end();
          long last = end == null ? Long.MAX_VALUE : end.own();
          lastEnds[interval.term()] = Math.max(lastEnds[interval.term()], last);
        });
    clause.forEach(
        interval -> {
          if (interval.isEndAwaited() || awaitsAnEnd(interval)) {
            waiting.add(interval);
          }
        });
  }

  /**
   * Whether a closed interval can be in no clique that is still to be found: it is before all that
   * is to come, and ordered with all that waits. Nor is it needed for a grade.
   */
  boolean isUseless(Retained interval) {
    if (interval.isOpen() || interval.isPinned()) {
      return false;
    }
    if (clause.terms() == 1 && !joined) {
      return true;
    }
    if (!knowledge.isPassed(interval)) {
      return false;
    }
    if (clause.terms() == 2 && !joined) {
      // Its own pairs are decided: its start has happened before whatever ends from now on.
      return true;
    }
    for (Retained other : waiting) {
      if (other == interval || !knowledge.areOrdered(interval, other)) {
        return false;
      }
    }
    return true;
  }

  /** The least progress with which something is decided, or may be dropped. */
  long wakeAt() {
    long[] wake = {Long.MAX_VALUE};
    waiting.forEach(interval -> wake[0] = Math.min(wake[0], settledAt(interval)));
    clause.forEach(
        interval -> {
          // What is passed and still here is held up by something that waits.
          long passedAt = knowledge.passedAt(interval);
          if (passedAt > knowledge.progress()) {
            wake[0] = Math.min(wake[0], passedAt);
          }
        });
    return wake[0];
  }

  private boolean awaitsAnEnd(Retained interval) {
    for (Grade grade : Grade.values()) {
      BitSet awaited = awaited(interval, grade);
      for (int node = awaited.nextSetBit(0); node >= 0; node = awaited.nextSetBit(node + 1)) {
        if (mayEndOthers(interval, node)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The progress that decides more of the interval; Long.MAX_VALUE if only an event can. */
  private long settledAt(Retained interval) {
    long settled = knowledge.finalAt(interval);
    for (Grade grade : Grade.values()) {
      BitSet awaited = awaited(interval, grade);
      for (int node = awaited.nextSetBit(0); node >= 0; node = awaited.nextSetBit(node + 1)) {
        if (mayEndOthers(interval, node)) {
          settled = Math.min(settled, knowledge.settledAt(interval.start(), node, grade));
        }
      }
    }
    return settled;
  }

  private static BitSet awaited(Retained interval, Grade grade) {
    boolean mayRise =
        switch (grade) {
          case UNCERTAIN -> true;
          case POSSIBLE -> interval.isNamed(Grade.UNCERTAIN);
          case DEFINITE -> interval.isNamed(Grade.POSSIBLE);
        };
    return mayRise ? interval.awaited(grade) : NONE;
  }

  /** Whether {@code node} may end, or end earlier, an interval of another term. */
  private boolean mayEndOthers(Retained interval, int node) {
    for (int term = 0; term < clause.terms(); term++) {
      if (term != interval.term()
          && (joined
              ? knowledge.reading(node).own() <= lastEnds[term]
              : clause.queue(term, node).hasOpen())) {
        return true;
      }
    }
    return false;
  }
}

package io.palinode.detection;

import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What of a clause is not decided yet, at one moment: the intervals whose start may still turn out
 * to be after another's end, and those whose own end may still move back (which can make concurrent
 * what was ordered, because the earliest of several nodes' ends need not be before the others).
 */
final class Pending {
  private final ConjunctiveClause clause;
  private final Knowledge knowledge;
  private final boolean joined;
  private final List<Retained> waiting = new ArrayList<>();

  Pending(ConjunctiveClause clause, Knowledge knowledge, boolean joined) {
    this.clause = clause;
    this.knowledge = knowledge;
    this.joined = joined;
    clause.forEach(
        interval -> {
          if (settledAt(interval) < Long.MAX_VALUE) {
            waiting.add(interval);
          }
        });
  }

  /**
   * Whether a closed interval can be in no clique that is still to be found: it is before all that
   * is to come, and ordered with all that waits. Nor is it needed for a grade.
   */
  boolean isUseless(Retained interval) {
    Hvc end = interval.end();
    if (end == null || interval.isPinned()) {
      return false;
    }
    if (clause.terms() == 1 && !joined) {
      return true;
    }
    if (!knowledge.isPassed(interval)) {
      return false;
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
          // What is passed and still here is held up by something that waits, or a grade that
          // rises.
          long passedAt = knowledge.passedAt(interval);
          if (passedAt > knowledge.progress()) {
            wake[0] = Math.min(wake[0], passedAt);
          }
        });
    return wake[0];
  }

  /** The progress that decides more of the interval; Long.MAX_VALUE if it is decided. */
  private long settledAt(Retained interval) {
    BitSet awaited = interval.awaited();
    long settled = knowledge.finalAt(interval);
    for (int node = awaited.nextSetBit(0); node >= 0; node = awaited.nextSetBit(node + 1)) {
      if (mayEndOthers(interval, node)) {
        settled = Math.min(settled, knowledge.settledAt(interval.start(), node));
      }
    }
    return settled;
  }

  /** Whether {@code node} may end, or end earlier, an interval of another term. */
  private boolean mayEndOthers(Retained interval, int node) {
    for (int term = 0; term < clause.terms(); term++) {
      if (term != interval.term()
          && (joined ? clause.holds(term) : clause.queue(term, node).hasOpen())) {
        return true;
      }
    }
    return false;
  }
}

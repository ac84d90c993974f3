package io.palinode.detection.search;

import io.palinode.hvc.Grade;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Whether many intervals are pairwise certain to be concurrent. Where starts rise, an interval that
 * does not end too early for the last start of a node does not for the earlier ones ({@link
 * Horizon#mayEndTooEarly}). So each interval is compared with one of each node: O(intervals ·
 * nodes). Else, and if they are few, with all others.
 */
final class Concurrent {
  private static final int FEW = 4;

  private final Horizon horizon;
  private final Retained[] intervals;
  private final boolean byNode;
  // Of each node: the interval that starts last, and the one before it.
  private Retained[] last = {};
  private Retained[] beforeLast = {};

  Concurrent(Horizon horizon, Retained... intervals) {
    this.horizon = horizon;
    this.intervals = intervals;
    this.byNode = intervals.length > FEW && horizon.areStartsRising();
    if (byNode) {
      for (Retained each : intervals) {
        note(each);
      }
    }
  }

  private void note(Retained interval) {
    int node = interval.node();
    if (node >= last.length) {
      last = Arrays.copyOf(last, node + 1);
      beforeLast = Arrays.copyOf(beforeLast, node + 1);
    }
    Retained known = last[node];
    if (known == null || known.startOwn() <= interval.startOwn()) {
      beforeLast[node] = known;
      last[node] = interval;
    } else if (beforeLast[node] == null || beforeLast[node].startOwn() <= interval.startOwn()) {
      beforeLast[node] = interval;
    }
  }

  /** Whether all pairs are, with at least {@code grade}. */
  boolean areCertain(Grade grade) {
    return byNode ? areCertainOfLast(grade) : areCertainOfAll(grade);
  }

  private boolean areCertainOfLast(Grade grade) {
    for (Retained each : intervals) {
      for (int node = 0; node < last.length; node++) {
        @Nullable Retained other = last[node] == each ? beforeLast[node] : last[node];
        if (other != null && horizon.mayEndTooEarly(each, other, grade)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean areCertainOfAll(Grade grade) {
    for (int i = 0; i < intervals.length; i++) {
      for (int j = 0; j < i; j++) {
        if (!horizon.isCertain(intervals[i], intervals[j], grade)) {
          return false;
        }
      }
    }
    return true;
  }

  /** The least grade of the pairs, which are certain to be concurrent. */
  Grade grade() {
    if (areCertain(Grade.DEFINITE)) {
      return Grade.DEFINITE;
    }
    return areCertain(Grade.POSSIBLE) ? Grade.POSSIBLE : Grade.UNCERTAIN;
  }
}

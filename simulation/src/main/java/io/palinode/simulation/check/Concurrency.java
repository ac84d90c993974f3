package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;

/**
 * The order and the grade of two intervals, written once more, sentence by sentence as they are
 * defined, for the conservative rule with a finite ε.
 */
final class Concurrency {
  private final long epsilonMicros;

  Concurrency(long epsilonMicros) {
    this.epsilonMicros = epsilonMicros;
  }

  boolean areConcurrent(Interval i, Interval j) {
    return !isBefore(i, j) && !isBefore(j, i);
  }

  /** Whether some execution that fits the clocks has a moment in which both held. */
  boolean isPossible(Interval i, Interval j) {
    return areConcurrent(i, j) && mayReach(i, j) && mayReach(j, i);
  }

  /** Whether i may still have held when j began. */
  private boolean mayReach(Interval i, Interval j) {
    return startedBeforeEnd(j, i) || !isCausallyBefore(i, j);
  }

  private boolean isBefore(Interval i, Interval j) {
    Hvc end = i.end;
    if (end == null) {
      return false;
    }
    // Of joined replicas, another node may have set the end.
    if (end.owner() == j.watch.node()) {
      return end.own() < j.start.own();
    }
    return isLess(end, j.start) && physical(end) <= physical(j.start) - epsilonMicros;
  }

  private static boolean isCausallyBefore(Interval i, Interval j) {
    return i.end != null && isLess(i.end, j.start);
  }

  private boolean startedBeforeEnd(Interval i, Interval j) {
    Hvc end = j.end;
    if (end == null) {
      return true;
    }
    if (i.watch.node() == end.owner()) {
      return i.start.own() <= end.own();
    }
    return isLess(i.start, end) || physical(end) - physical(i.start) > epsilonMicros;
  }

  private static boolean isLess(Hvc u, Hvc v) {
    boolean less = false;
    for (int node = 0; node < u.nodes(); node++) {
      if (u.get(node) > v.get(node)) {
        return false;
      }
      less |= u.get(node) < v.get(node);
    }
    return less;
  }

  private static long physical(Hvc hvc) {
    return Hlc.micros(hvc.own());
  }
}

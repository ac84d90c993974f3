package io.palinode.detection.search;

import io.palinode.hvc.Grade;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queues of one term, one for each node. Those that hold intervals are at hand, because of many
 * terms at many nodes few do. Not thread-safe.
 */
final class TermQueues {
  private int term;
  private final boolean mayEndElsewhere;
  private final @Nullable IntervalQueue[] queues;
  private final List<IntervalQueue> held = new ArrayList<>(2);
  // How many intervals are open, of each node.
  private final int[] open;
  private int size;

  TermQueues(int term, int nodes, boolean mayEndElsewhere) {
    this.term = term;
    this.mayEndElsewhere = mayEndElsewhere;
    this.queues = new @Nullable IntervalQueue[nodes];
    this.open = new int[nodes];
  }

  IntervalQueue queue(int node) {
    IntervalQueue queue = queues[node];
    if (queue == null) {
      queue = new IntervalQueue(term, node, mayEndElsewhere);
      queues[node] = queue;
    }
    return queue;
  }

  int term() {
    return term;
  }

  /** It stands at another index of its clause from now on. O(size + nodes). */
  void moveTo(int index) {
    term = index;
    for (IntervalQueue queue : queues) {
      if (queue != null) {
        queue.moveTo(index);
      }
    }
  }

  int open(int node) {
    return open[node];
  }

  void countOpen(int node, int change) {
    open[node] += change;
  }

  /** Those that are not empty, in the order of nodes. */
  List<IntervalQueue> held() {
    return held;
  }

  int size() {
    return size;
  }

  boolean isAscending() {
    for (int i = 0; i < held.size(); i++) {
      if (!held.get(i).isAscending()) {
        return false;
      }
    }
    return true;
  }

  /** False when all may end too early for {@code other}. O(nodes). */
  boolean mayFit(Retained other, Horizon horizon, Grade grade) {
    for (int i = 0; i < held.size(); i++) {
      if (!held.get(i).endsTooEarly(other, horizon, grade)) {
        return true;
      }
    }
    return false;
  }

  void add(Retained interval) {
    IntervalQueue queue = queue(interval.node());
    if (queue.size() == 0) {
      int at = held.size();
      while (at > 0 && held.get(at - 1).node() > queue.node()) {
        at--;
      }
      held.add(at, queue);
    }
    queue.add(interval);
    size++;
  }

  /** {@code action} drops something of each queue, or nothing. */
  void drop(Consumer<IntervalQueue> action) {
    for (int i = held.size() - 1; i >= 0; i--) {
      IntervalQueue queue = held.get(i);
      int before = queue.size();
      action.accept(queue);
      size -= before - queue.size();
      if (queue.size() == 0) {
        held.remove(i);
      }
    }
  }
}

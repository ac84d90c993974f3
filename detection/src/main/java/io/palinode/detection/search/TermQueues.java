package io.palinode.detection.search;

import io.palinode.hvc.Grade;
import java.math.BigDecimal;
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
  private int openOfAll;
  private int size;
  private boolean mayHaveEnded;
  // Of the amounts; null if there are none, or none were given.
  private @Nullable BigDecimal least;
  private @Nullable BigDecimal most;

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

  /** Whether some interval may have ended. */
  boolean mayHaveEnded() {
    return mayHaveEnded;
  }

  void mayHaveEnded(boolean may) {
    mayHaveEnded = may;
  }

  boolean hasEnded() {
    return size > openOfAll;
  }

  int open(int node) {
    return open[node];
  }

  void countOpen(int node, int change) {
    open[node] += change;
    openOfAll += change;
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

  /** It has an amount. */
  void addAmount(BigDecimal amount) {
    least = least == null ? amount : least.min(amount);
    most = most == null ? amount : most.max(amount);
  }

  /** After some were dropped. O(size). */
  void addAmountsAgain() {
    least = null;
    most = null;
    for (int i = 0; i < held.size(); i++) {
      IntervalQueue queue = held.get(i);
      for (int at = 0; at < queue.size(); at++) {
        addAmount(queue.get(at).amount());
      }
    }
  }

  /** Of the amounts of its intervals; 0 if there are none. */
  BigDecimal least() {
    return least == null ? BigDecimal.ZERO : least;
  }

  /** Of the amounts of its intervals; 0 if there are none. */
  BigDecimal most() {
    return most == null ? BigDecimal.ZERO : most;
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

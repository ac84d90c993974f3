package io.palinode.detection;

import io.palinode.hvc.Grade;
import java.util.ArrayList;
import java.util.List;

/**
 * What the intervals of a clause await ({@link Retained#awaits}), kept up to date while more
 * becomes known and intervals open and end. A node is awaited only while an interval of another
 * term is open there: what it shows next may be an end that decides a pair. So while nothing else
 * is open, an interval costs nothing here. With joined replicas every node is, for it may end any
 * interval. Not thread-safe.
 */
final class Awaiting {
  private final WatchedClause clause;
  private final Knowledge knowledge;
  private final boolean joined;
  private final int nodes;
  private final List<IntervalQueue> queues = new ArrayList<>(2);

  Awaiting(WatchedClause clause, Knowledge knowledge, boolean joined, int nodes) {
    this.clause = clause;
    this.knowledge = knowledge;
    this.joined = joined;
    this.nodes = nodes;
  }

  /** Those that hold an interval which awaits a node; and maybe some that held one. */
  List<IntervalQueue> queues() {
    return queues;
  }

  /** The clause has got the interval. */
  void added(Retained interval) {
    for (int node = 0; node < nodes; node++) {
      if (isAwaited(interval.term(), node)) {
        interval.await(node, nodes, knowledge.leastTooEarly(node, interval.start()));
      }
    }
    note(clause.queue(interval.term(), interval.node()));
    for (int term = 0; interval.isOpen() && !joined && term < clause.terms(); term++) {
      if (term != interval.term() && clause.openOthers(term, interval.node()) == 1) {
        await(term, interval.node());
      }
    }
  }

  /** The interval, which was open, has ended, or has gone. */
  void ended(Retained interval) {
    for (int term = 0; !joined && term < clause.terms(); term++) {
      if (term != interval.term() && clause.openOthers(term, interval.node()) == 0) {
        forget(term, interval.node());
      }
    }
  }

  private boolean isAwaited(int term, int node) {
    return joined || clause.openOthers(term, node) > 0;
  }

  private void note(IntervalQueue queue) {
    if (queue.awaitsAny() && !queues.contains(queue)) {
      queues.add(queue);
    }
  }

  private void await(int term, int node) {
    List<IntervalQueue> held = clause.held(term);
    for (int i = 0; i < held.size(); i++) {
      await(held.get(i), node);
      note(held.get(i));
    }
  }

  private void await(IntervalQueue queue, int node) {
    for (int i = queue.size() - 1; i >= 0; i--) {
      Grade least = knowledge.leastTooEarly(node, queue.get(i).start());
      if (least == null && queue.isAscending()) {
        // Nor do those that started before.
        return;
      }
      queue.get(i).await(node, nodes, least);
    }
  }

  private void forget(int term, int node) {
    List<IntervalQueue> held = clause.held(term);
    for (int i = 0; i < held.size(); i++) {
      IntervalQueue queue = held.get(i);
      for (int at = queue.firstAwaiting(node); at < queue.size(); at++) {
        queue.get(at).await(node, nodes, null);
      }
    }
  }

  /** More is known of some nodes: pairs of some intervals may be certain now. */
  void settle(int fromNode, int toNode, Changes changes) {
    for (int i = queues.size() - 1; i >= 0; i--) {
      IntervalQueue queue = queues.get(i);
      for (int node = fromNode; node < toNode; node++) {
        if (isAwaited(queue.term(), node)) {
          settle(queue, node, changes);
        }
      }
      if (!queue.awaitsAny()) {
        queues.remove(i);
      }
    }
  }

  private void settle(IntervalQueue queue, int node, Changes changes) {
    for (int i = queue.firstAwaiting(node); i < queue.size(); i++) {
      Retained interval = queue.get(i);
      Grade before = interval.awaitedFrom(node);
      if (before == null) {
        continue;
      }
      Grade now = knowledge.leastTooEarly(node, interval.start());
      interval.await(node, nodes, now);
      if (now != before) {
        changes.add(interval, before);
      }
      if (now == Grade.UNCERTAIN && queue.isAscending()) {
        // So do all that follow.
        return;
      }
    }
  }
}

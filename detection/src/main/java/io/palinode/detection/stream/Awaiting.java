package io.palinode.detection.stream;

import io.palinode.detection.search.Changes;
import io.palinode.detection.search.IntervalQueue;
import io.palinode.detection.search.Knowledge;
import io.palinode.detection.search.Retained;
import io.palinode.detection.search.WatchedClause;
import io.palinode.hvc.Grade;
import java.util.ArrayList;
import java.util.List;

/**
 * What the intervals of a clause await ({@link Retained#awaits}), kept up to date while more
 * becomes known. What a node shows next can only decide a pair with what is open there. So the
 * intervals of a queue begin to await a node when an interval of another term opens there, and are
 * followed until none of them awaits it any more: while nothing else is open, an interval costs
 * nothing here. With joined replicas every node is awaited from the start, for it may end any
 * interval. Not thread-safe.
 *
 * <p>Invariant: where an interval of another term is open at a node, or one of the queue awaits it,
 * what the intervals of the queue await of it is as {@link Knowledge#leastTooEarly} has it; else
 * they await nothing of it.
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

  /** Adds it to the clause. */
  void add(Retained interval) {
    IntervalQueue queue = clause.queueFor(interval);
    for (int node = 0; node < nodes; node++) {
      if (decides(queue, node) || queue.awaits(node)) {
        interval.await(node, nodes, knowledge.leastTooEarly(node, interval.start()));
      }
    }
    clause.add(interval);
    note(queue);
    if (interval.isOpen() && !joined) {
      opened(interval.term(), interval.node());
    }
  }

  /** Whether an event of {@code node} may decide a pair with an interval of the queue. */
  private boolean decides(IntervalQueue queue, int node) {
    return joined || clause.openOthers(queue.term(), node) > 0;
  }

  private void note(IntervalQueue queue) {
    if (queue.awaitsAny() && !queues.contains(queue)) {
      queues.add(queue);
    }
  }

  /** What is of another term than {@code opened} may have to await {@code node} from now on. */
  private void opened(int opened, int node) {
    if (clause.openTerms(node) > 2) {
      // Of each term, two others are open, and one was open before.
      return;
    }
    for (int term = 0; term < clause.terms(); term++) {
      if (term != opened && clause.openOthers(term, node) == 1) {
        List<IntervalQueue> held = clause.held(term);
        for (int i = 0; i < held.size(); i++) {
          await(held.get(i), node);
        }
      }
    }
  }

  private void await(IntervalQueue queue, int node) {
    if (queue.awaits(node)) {
      return;
    }
    for (int i = queue.size() - 1; i >= 0; i--) {
      Grade least = knowledge.leastTooEarly(node, queue.get(i).start());
      if (least == null && queue.isAscending()) {
        // Nor do those that started before.
        break;
      }
      queue.get(i).await(node, nodes, least);
    }
    note(queue);
  }

  /** More is known of some nodes: pairs of some intervals may be certain now. */
  void settle(int fromNode, int toNode, Changes changes) {
    for (int i = queues.size() - 1; i >= 0; i--) {
      IntervalQueue queue = queues.get(i);
      for (int node = fromNode; node < toNode; node++) {
        settle(queue, node, changes);
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
      if (now != before && decides(queue, node)) {
        changes.add(interval, before);
      }
      if (now == Grade.UNCERTAIN && queue.isAscending()) {
        // So do all that follow.
        return;
      }
    }
  }
}

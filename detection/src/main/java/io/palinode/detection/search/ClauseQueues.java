package io.palinode.detection.search;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queues of a clause, by index: of each term; or, with {@code distinct}, of each member that
 * has an interval. A member without one costs nothing: its index is given to the last one, so that
 * there is never a hole. Not thread-safe.
 */
final class ClauseQueues {
  private final boolean distinct;
  private final int nodes;
  private final boolean mayEndElsewhere;
  private final List<TermQueues> queues = new ArrayList<>();
  // Of each index, and the inverse; empty without distinct.
  private final List<String> members = new ArrayList<>();
  private final Map<String, Integer> indexOf = new HashMap<>();
  // Of a sum of members: of each the least and the greatest amount, added up.
  private final ClauseRule.@Nullable Sum total;
  private BigDecimal least = BigDecimal.ZERO;
  private BigDecimal most = BigDecimal.ZERO;

  ClauseQueues(ClauseShape shape, int nodes, boolean mayEndElsewhere) {
    this.distinct = shape.isDistinct();
    this.total = distinct && shape.rule() instanceof ClauseRule.Sum sum ? sum : null;
    this.nodes = nodes;
    this.mayEndElsewhere = mayEndElsewhere;
    for (int term = 0; term < shape.terms() && !distinct; term++) {
      queues.add(new TermQueues(term, nodes, mayEndElsewhere));
    }
  }

  int size() {
    return queues.size();
  }

  TermQueues get(int index) {
    return queues.get(index);
  }

  /** Those of the term or member; null for a member that has none. */
  @Nullable TermQueues find(int term, String member) {
    if (!distinct) {
      return queues.get(term);
    }
    Integer index = indexOf.get(member);
    return index == null ? null : queues.get(index);
  }

  /** The queue that the interval goes into, which has its index then. */
  IntervalQueue queueFor(Retained interval) {
    if (distinct) {
      interval.moveTo(indexOf.computeIfAbsent(interval.member(), this::append));
    }
    return queues.get(interval.term()).queue(interval.node());
  }

  /** Puts it into the queue that it goes into. */
  void add(Retained interval) {
    queueFor(interval);
    TermQueues of = queues.get(interval.term());
    of.add(interval);
    if (total != null) {
      leave(of);
      of.addAmount(interval.amount());
      enter(of);
    }
  }

  /** {@code action} drops something of each queue of an index, or nothing. */
  void drop(int index, Consumer<IntervalQueue> action) {
    TermQueues of = queues.get(index);
    int before = of.size();
    of.drop(action);
    if (total != null && of.size() < before) {
      leave(of);
      of.addAmountsAgain();
      enter(of);
    }
  }

  private void leave(TermQueues of) {
    least = least.subtract(of.least());
    most = most.subtract(of.most());
  }

  private void enter(TermQueues of) {
    least = least.add(of.least());
    most = most.add(of.most());
  }

  /** No sum of one interval of each member is less. */
  BigDecimal least() {
    return least;
  }

  /** No sum of one interval of each member is greater. */
  BigDecimal most() {
    return most;
  }

  private int append(String member) {
    int index = queues.size();
    queues.add(new TermQueues(index, nodes, mayEndElsewhere));
    members.add(member);
    return index;
  }

  /** Some were dropped: members without an interval go. O(members). */
  void release() {
    for (int index = distinct ? queues.size() - 1 : -1; index >= 0; index--) {
      if (queues.get(index).size() == 0) {
        remove(index);
      }
    }
  }

  private void remove(int index) {
    TermQueues last = queues.remove(queues.size() - 1);
    String lastMember = members.remove(members.size() - 1);
    if (index == queues.size()) {
      indexOf.remove(lastMember);
      return;
    }
    indexOf.remove(members.set(index, lastMember));
    indexOf.put(lastMember, index);
    queues.set(index, last);
    last.moveTo(index);
  }
}

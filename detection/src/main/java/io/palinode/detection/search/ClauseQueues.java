package io.palinode.detection.search;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
  private static final Comparator<TermQueues> LAST_FIRST =
      Comparator.comparingInt(TermQueues::term).reversed();
  private static final int SPARE_MAX = 4;

  private final boolean distinct;
  private final int nodes;
  private final boolean mayEndElsewhere;
  // An array, not a list: each event reads it, and of many instances none is in the near caches.
  private TermQueues[] queues;
  private int size;
  // Of each index; empty without distinct.
  private final Members members = new Members();
  // Of members that had intervals: members come and go with each interval of theirs.
  private final List<TermQueues> spare = new ArrayList<>(0);
  // Those with an interval that may have ended: of many members few have.
  private final List<TermQueues> ended = new ArrayList<>(2);
  // Used by one call alone.
  private final List<TermQueues> gone = new ArrayList<>(0);
  private int intervals;
  // Of a sum of members: of each the least and the greatest amount, added up.
  private final ClauseRule.@Nullable Sum total;
  private BigDecimal least = BigDecimal.ZERO;
  private BigDecimal most = BigDecimal.ZERO;

  ClauseQueues(ClauseShape shape, int nodes, boolean mayEndElsewhere) {
    this.distinct = shape.isDistinct();
    this.total = distinct && shape.rule() instanceof ClauseRule.Sum sum ? sum : null;
    this.nodes = nodes;
    this.mayEndElsewhere = mayEndElsewhere;
    this.queues = new TermQueues[distinct ? SPARE_MAX : shape.terms()];
    while (!distinct && size < queues.length) {
      put(new TermQueues(size, nodes, mayEndElsewhere));
    }
  }

  int size() {
    return size;
  }

  TermQueues get(int index) {
    return queues[index];
  }

  /** Those of the term or member; null for a member that has none. */
  @Nullable TermQueues find(int term, String member) {
    if (!distinct) {
      return queues[term];
    }
    int index = members.indexOf(member);
    return index < 0 ? null : queues[index];
  }

  /** The queue that the interval goes into, which has its index then. */
  IntervalQueue queueFor(Retained interval) {
    return queuesFor(interval).queue(interval.node());
  }

  private TermQueues queuesFor(Retained interval) {
    if (distinct) {
      int known = members.indexOf(interval.member());
      interval.moveTo(known < 0 ? append(interval.member()) : known);
    }
    return queues[interval.term()];
  }

  /** Puts it into the queue that it goes into. */
  void add(Retained interval) {
    TermQueues of = queuesFor(interval);
    of.add(interval);
    intervals++;
    if (!interval.isOpen()) {
      noteEnded(of);
    }
    if (total != null) {
      leave(of);
      of.addAmount(interval.amount());
      enter(of);
    }
  }

  /** How many intervals there are. */
  int intervals() {
    return intervals;
  }

  /** Those that have an interval which has ended, and maybe more. */
  List<TermQueues> ended() {
    return ended;
  }

  /** An interval of it has ended. */
  void noteEnded(TermQueues of) {
    if (!of.mayHaveEnded()) {
      of.mayHaveEnded(true);
      ended.add(of);
    }
  }

  /** {@code action} drops something of each queue, or nothing. */
  void dropOfAll(Consumer<IntervalQueue> action) {
    for (int index = size - 1; index >= 0; index--) {
      TermQueues of = queues[index];
      drop(of, action);
      if (of.size() == 0) {
        of.mayHaveEnded(false);
      }
      release(of);
    }
    ended.removeIf(of -> !of.mayHaveEnded());
  }

  /** {@code action} drops something that has ended of each queue, or nothing. */
  void dropOfEnded(Consumer<IntervalQueue> action) {
    int kept = 0;
    for (int i = 0; i < ended.size(); i++) {
      TermQueues of = ended.get(i);
      drop(of, action);
      of.mayHaveEnded(of.hasEnded());
      if (of.mayHaveEnded()) {
        ended.set(kept++, of);
      } else if (distinct && of.size() == 0) {
        gone.add(of);
      }
    }
    for (int i = ended.size() - 1; i >= kept; i--) {
      ended.remove(i);
    }
    if (!gone.isEmpty()) {
      // In an order that follows from the state alone.
      gone.sort(LAST_FIRST);
      gone.forEach(this::release);
      gone.clear();
    }
  }

  private void drop(TermQueues of, Consumer<IntervalQueue> action) {
    int before = of.size();
    of.drop(action);
    intervals -= before - of.size();
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
    int index = members.add(member);
    if (spare.isEmpty()) {
      put(new TermQueues(index, nodes, mayEndElsewhere));
    } else {
      TermQueues of = spare.remove(spare.size() - 1);
      of.moveTo(index);
      put(of);
    }
    return index;
  }

  private void put(TermQueues last) {
    if (size == queues.length) {
      queues = Arrays.copyOf(queues, 2 * size);
    }
    queues[size++] = last;
  }

  /** Some were dropped: a member without an interval goes. */
  private void release(TermQueues of) {
    if (distinct && of.size() == 0) {
      remove(of.term());
      if (spare.size() < SPARE_MAX) {
        spare.add(of);
      }
    }
  }

  private void remove(int index) {
    members.remove(index);
    TermQueues last = queues[--size];
    queues[size] = null;
    if (index < size) {
      queues[index] = last;
      last.moveTo(index);
    }
  }

  /** The members that have an interval. Of a few the hashes show which: that reads less memory. */
  private static final class Members {
    private static final int FEW = 16;

    private final List<String> names = new ArrayList<>(0);
    private int[] hashes = new int[0];
    private @Nullable Map<String, Integer> ofMany;

    /** -1: it is none of them. */
    int indexOf(String member) {
      if (ofMany != null) {
        return ofMany.getOrDefault(member, -1);
      }
      int hash = member.hashCode();
      for (int index = 0; index < names.size(); index++) {
        if (hashes[index] == hash && names.get(index).equals(member)) {
          return index;
        }
      }
      return -1;
    }

    /** It is none of them yet. Returns its index. */
    int add(String member) {
      int index = names.size();
      names.add(member);
      if (ofMany == null && index == FEW) {
        ofMany = new HashMap<>();
        for (int each = 0; each < index; each++) {
          ofMany.put(names.get(each), each);
        }
      }
      put(member, index);
      return index;
    }

    private void put(String member, int index) {
      if (ofMany != null) {
        ofMany.put(member, index);
      } else {
        hashes = hashes.length == 0 ? new int[FEW] : hashes;
        hashes[index] = member.hashCode();
      }
    }

    /** The last one takes its index. */
    void remove(int index) {
      String last = names.remove(names.size() - 1);
      String gone = index == names.size() ? last : names.set(index, last);
      if (ofMany != null) {
        ofMany.remove(gone);
      }
      if (names.isEmpty()) {
        ofMany = null;
      } else if (index < names.size()) {
        put(last, index);
      }
    }
  }
}

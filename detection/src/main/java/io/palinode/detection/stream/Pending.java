package io.palinode.detection.stream;

import io.palinode.detection.search.IntervalQueue;
import io.palinode.detection.search.Knowledge;
import io.palinode.detection.search.Retained;
import io.palinode.detection.search.WatchedClause;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a clause is not decided yet, at one moment ({@link #now}): the intervals for which an end
 * to come may still turn out to be too early for some grade, and those whose own end may still move
 * back (which can make concurrent what was ordered, because the earliest of several nodes' ends
 * need not be before the others).
 *
 * <p>A grade that no report of an interval can rise to now is not waited for: something else has to
 * be decided first, and is waited for.
 */
final class Pending {
  private static final Grade[] GRADES = Grade.values();

  private final WatchedClause clause;
  private final Awaiting awaiting;
  private final Knowledge knowledge;
  private final boolean joined;
  private final int nodes;
  // Of each term, when the last of its intervals ends, wherever that is; for joined replicas.
  private long @Nullable [] lastEnds;
  private @Nullable List<Retained> waiting;

  Pending(WatchedClause clause, Awaiting awaiting, Knowledge knowledge, boolean joined, int nodes) {
    this.clause = clause;
    this.awaiting = awaiting;
    this.knowledge = knowledge;
    this.joined = joined;
    this.nodes = nodes;
  }

  /** A copy that computes its results again, for a later time. */
  Pending now() {
    lastEnds = null;
    waiting = null;
    return this;
  }

  /** Whether an interval has to be passed before it can be dropped. */
  boolean isHeldUntilPassed() {
    return clause.intervalsMax() > 1 || joined;
  }

  /**
   * Whether a closed interval that is passed, where it has to be, can be in no clique that is still
   * to be found: it is before all that is to come, and ordered with all that waits. Nor is it
   * needed for a grade.
   */
  boolean isUseless(Retained interval) {
    if (interval.isOpen() || interval.isPinned()) {
      return false;
    }
    if (clause.intervalsMax() <= 2 && !joined) {
      // Its own pairs are decided: its start has happened before whatever ends from now on.
      return true;
    }
    List<Retained> all = waiting();
    for (int i = 0; i < all.size(); i++) {
      Retained other = all.get(i);
      if (other == interval || !knowledge.areOrdered(interval, other)) {
        return false;
      }
    }
    return true;
  }

  private List<Retained> waiting() {
    if (waiting == null) {
      List<Retained> all = new ArrayList<>();
      List<IntervalQueue> queues = awaiting.queues();
      for (int i = 0; i < queues.size(); i++) {
        addWaiting(queues.get(i), all);
      }
      for (int place = 0; joined && place < clause.endedTerms(); place++) {
        clause.heldOfEnded(place).forEach(queue -> addEndAwaited(queue, all));
      }
      waiting = all;
    }
    return waiting;
  }

  private void addWaiting(IntervalQueue queue, List<Retained> all) {
    for (int i = 0; i < queue.size(); i++) {
      if (awaitsAnEnd(queue.get(i))) {
        all.add(queue.get(i));
      }
    }
  }

  private static void addEndAwaited(IntervalQueue queue, List<Retained> all) {
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).isEndAwaited()) {
        all.add(queue.get(i));
      }
    }
  }

  /** The least progress with which something is decided, or may be dropped. */
  long wakeAt() {
    long wake = Long.MAX_VALUE;
    for (int place = 0; place < clause.endedTerms(); place++) {
      List<IntervalQueue> held = clause.heldOfEnded(place);
      for (int i = 0; i < held.size(); i++) {
        wake = Math.min(wake, passedAt(held.get(i)));
        wake = Math.min(wake, joined ? finalAt(held.get(i)) : Long.MAX_VALUE);
      }
    }
    List<IntervalQueue> queues = awaiting.queues();
    for (int i = 0; i < queues.size(); i++) {
      wake = Math.min(wake, settledAt(queues.get(i)));
    }
    return wake;
  }

  /** When the next interval is passed. What is passed and still here is held up by what waits. */
  private long passedAt(IntervalQueue queue) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < queue.size(); i++) {
      long passedAt = queue.get(i).passedAt(knowledge);
      if (passedAt > knowledge.progress()) {
        least = Math.min(least, passedAt);
        if (queue.isDisjoint()) {
          // Ends rise: the others are passed later.
          return least;
        }
      }
    }
    return least;
  }

  /** The progress that decides more of some interval; Long.MAX_VALUE if only an event can. */
  private long settledAt(IntervalQueue queue) {
    long settled = Long.MAX_VALUE;
    for (int node = 0; node < nodes; node++) {
      int first = queue.firstAwaiting(node);
      if (first < queue.size() && mayEndOthers(queue.term(), node)) {
        settled = Math.min(settled, settledAt(queue, first, node));
      }
    }
    return settled;
  }

  /** When the next end can no longer move back. */
  private long finalAt(IntervalQueue queue) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < queue.size(); i++) {
      least = Math.min(least, knowledge.finalAt(queue.get(i)));
    }
    return least;
  }

  private long settledAt(IntervalQueue queue, int first, int node) {
    long settled = Long.MAX_VALUE;
    for (int i = first; i < queue.size(); i++) {
      Retained interval = queue.get(i);
      for (Grade grade : GRADES) {
        if (waits(interval, node, grade)) {
          settled = Math.min(settled, knowledge.settledAt(interval.start(), node, grade));
        }
      }
      if (queue.isAscending() && interval.awaits(node, Grade.UNCERTAIN)) {
        // So do all that follow, and they start later.
        return settled;
      }
    }
    return settled;
  }

  private boolean awaitsAnEnd(Retained interval) {
    for (int node = 0; interval.awaitsAny() && node < nodes; node++) {
      for (Grade grade : GRADES) {
        if (waits(interval, node, grade) && mayEndOthers(interval.term(), node)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether it awaits {@code node} for a grade that one of its reports can rise to. */
  private static boolean waits(Retained interval, int node, Grade grade) {
    boolean mayRise =
        switch (grade) {
          case UNCERTAIN -> true;
          case POSSIBLE -> interval.isNamed(Grade.UNCERTAIN);
          case DEFINITE -> interval.isNamed(Grade.POSSIBLE);
        };
    return mayRise && interval.awaits(node, grade);
  }

  /** Whether {@code node} may end, or end earlier, an interval of another term. */
  private boolean mayEndOthers(int term, int node) {
    if (!joined) {
      return clause.openOthers(term, node) > 0;
    }
    long[] ends = lastEnds();
    for (int other = 0; other < ends.length; other++) {
      if (other != term && knowledge.ownReading(node) <= ends[other]) {
        return true;
      }
    }
    return false;
  }

  private long[] lastEnds() {
    if (lastEnds == null) {
      long[] ends = new long[clause.terms()];
      Arrays.fill(ends, -1);
      clause.forEach(
          interval -> {
            Hvc end = interval.end();
            long last = end == null ? Long.MAX_VALUE : end.own();
            ends[interval.term()] = Math.max(ends[interval.term()], last);
          });
      lastEnds = ends;
    }
    return lastEnds;
  }
}

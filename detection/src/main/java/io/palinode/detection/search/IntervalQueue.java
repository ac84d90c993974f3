package io.palinode.detection.search;

import io.palinode.detection.Candidate;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The retained intervals of one term at one node, in the order of their starts. What is dropped is
 * mostly the head. Not thread-safe.
 */
public final class IntervalQueue {
  private static final int CAPACITY_MIN = 2;
  private static final Grade[] GRADES = Grade.values();

  private Retained[] items = new Retained[CAPACITY_MIN];
  private int head;
  private int tail;
  // Null while no report has named one of them.
  private @Nullable Named named;
  // Starts rise in every entry. So it is with clocks that never go back; a recorded trace may hold
  // anything, and then there is no bisection.
  private boolean ascending = true;
  // Each ends before the next starts: then ends rise as well, and both sides of a range can be
  // found by bisection. So it is for one replica's intervals; not while others may still end them.
  private boolean disjoint;
  private final boolean mayEndElsewhere;

  private int term;
  private final int node;

  IntervalQueue(int term, int node, boolean mayEndElsewhere) {
    this.term = term;
    this.node = node;
    this.mayEndElsewhere = mayEndElsewhere;
    this.disjoint = !mayEndElsewhere;
  }

  public int term() {
    return term;
  }

  /** O(size). */
  void moveTo(int index) {
    term = index;
    for (int at = head; at < tail; at++) {
      items[at].moveTo(index);
    }
  }

  int node() {
    return node;
  }

  public int size() {
    return tail - head;
  }

  public Retained get(int index) {
    return items[head + index];
  }

  /** Whether a report of {@code grade} and {@code violate} may improve what one of them has. */
  boolean mayImprove(Grade grade, long violate) {
    return named == null
        || named.count[grade.rank()] < size()
        || violate < named.violateMax[grade.rank()];
  }

  /** Whether starts rise in every entry, as {@link Horizon#mayEndTooEarly} needs to be monotone. */
  public boolean isAscending() {
    return ascending;
  }

  /** Whether each ends before the next starts. */
  public boolean isDisjoint() {
    return disjoint;
  }

  /** Amortised O(1) for the greatest start; an earlier one moves the later ones. */
  void add(Retained interval) {
    if (tail == items.length) {
      makeRoom();
    }
    int at = tail;
    while (at > head && items[at - 1].startOwn() > interval.startOwn()) {
      items[at] = items[at - 1];
      at--;
    }
    items[at] = interval;
    tail++;
    ascending &= at == head || rises(items[at - 1].start(), interval.start());
    ascending &= at == tail - 1 || rises(interval.start(), items[at + 1].start());
    disjoint &= at == tail - 1 && isAfterLast(interval);
    if (interval.isNamed(Grade.UNCERTAIN)) {
      named().add(interval);
    }
  }

  /** A report of {@code grade} names it. */
  void name(Retained interval, Grade grade, long violate) {
    named().remove(interval);
    interval.name(grade, violate);
    named().add(interval);
  }

  private Named named() {
    named = named == null ? new Named() : named;
    return named;
  }

  /** The one that starts as {@code candidate} does and has its name. O(1) for the newest ones. */
  public @Nullable Retained find(Candidate candidate) {
    long start = candidate.interval().start().own();
    for (int at = tail - 1; at >= head && items[at].startOwn() >= start; at--) {
      if (items[at].id().equals(candidate.id())) {
        return items[at];
      }
    }
    return null;
  }

  /**
   * Whether all may end too early for {@code other}, as far as the last one shows that; else false.
   * The queue must not be empty.
   */
  boolean endsTooEarly(Retained other, Horizon horizon, Grade grade) {
    return disjoint && horizon.mayEndTooEarly(items[tail - 1], other, grade);
  }

  /**
   * An index below which all may end too early for {@code other}: the first one that may not where
   * that can be bisected, else 0.
   */
  int firstNotTooEarly(Retained other, Horizon horizon, Grade grade) {
    return disjoint ? first(interval -> !horizon.mayEndTooEarly(interval, other, grade)) : 0;
  }

  /** The first index that {@code other} may end too early for; so it may for all from there on. */
  int firstTooLate(Retained other, Horizon horizon, Grade grade) {
    return ascending ? first(interval -> horizon.mayEndTooEarly(other, interval, grade)) : size();
  }

  /** The first index of a start later than {@code hlc}. */
  int firstLaterThan(long hlc) {
    return hlc == Long.MAX_VALUE ? size() : first(interval -> interval.startOwn() > hlc);
  }

  /** Whether an interval awaits some node. */
  public boolean awaitsAny() {
    for (int at = tail - 1; at >= head; at--) {
      if (items[at].awaitsAny()) {
        return true;
      }
      if (ascending) {
        // The newest awaits no fewer than the others.
        return false;
      }
    }
    return false;
  }

  /** Whether an interval awaits {@code node}. */
  public boolean awaits(int node) {
    int newest = tail - 1;
    if (ascending) {
      return newest >= head && items[newest].awaitedFrom(node) != null;
    }
    for (int at = newest; at >= head; at--) {
      if (items[at].awaitedFrom(node) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * No interval before this index awaits {@code node}; where it can be bisected, all from it do.
   */
  public int firstAwaiting(int node) {
    if (!ascending) {
      return 0;
    }
    if (!awaits(node)) {
      return size();
    }
    return first(interval -> interval.awaitedFrom(node) != null);
  }

  /** By bisection: {@code holds} for all from there on. */
  int first(Predicate<Retained> holds) {
    int low = 0;
    int high = size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (holds.test(get(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Drops heads while {@code useless}. */
  void dropHeads(Predicate<Retained> useless) {
    while (head < tail && useless.test(items[head])) {
      forget(items[head]);
      items[head++] = null;
    }
    restartIfEmpty();
  }

  /**
   * Drops what is {@code passed} and {@code useless}. Where each ends before the next starts, what
   * follows one that is not passed is not passed either, and not looked at.
   */
  void dropPassed(Predicate<Retained> passed, Predicate<Retained> useless) {
    if (!disjoint) {
      dropAll(interval -> passed.test(interval) && useless.test(interval));
      return;
    }
    int end = head;
    int kept = 0;
    for (; end < tail && passed.test(items[end]); end++) {
      if (useless.test(items[end])) {
        forget(items[end]);
      } else {
        items[head + kept++] = items[end];
      }
    }
    System.arraycopy(items, head, items, end - kept, kept);
    Arrays.fill(items, head, end - kept, null);
    head = end - kept;
    restartIfEmpty();
  }

  /** Drops all that are {@code useless}. O(size). */
  void dropAll(Predicate<Retained> useless) {
    int kept = head;
    for (int at = head; at < tail; at++) {
      if (useless.test(items[at])) {
        forget(items[at]);
      } else {
        items[kept++] = items[at];
      }
    }
    Arrays.fill(items, kept, tail, null);
    tail = kept;
    restartIfEmpty();
  }

  /** The oldest closed one, or the oldest if all are open; null if there is none. */
  @Nullable Retained oldest() {
    for (int at = head; at < tail; at++) {
      if (!items[at].isOpen()) {
        return items[at];
      }
    }
    return size() == 0 ? null : items[head];
  }

  private void forget(Retained interval) {
    if (named != null) {
      named.remove(interval);
    }
  }

  private void restartIfEmpty() {
    if (head == tail) {
      head = 0;
      tail = 0;
      ascending = true;
      disjoint = !mayEndElsewhere;
      named = null;
    }
  }

  private void makeRoom() {
    int size = size();
    boolean full = size > items.length / 2;
    Retained[] roomy = new Retained[full ? items.length * 2 : items.length];
    System.arraycopy(items, head, roomy, 0, size);
    items = roomy;
    head = 0;
    tail = size;
  }

  /** Of the newest one: whether the one before it ends before it. */
  private boolean isAfterLast(Retained newest) {
    Hvc end = newest.end();
    if (end != null && (end.owner() != newest.node() || !rises(newest.start(), end))) {
      return false;
    }
    Hvc last = size() == 1 ? null : items[tail - 2].end();
    return size() == 1 || (last != null && last.isBefore(newest.start()));
  }

  private static boolean rises(Hvc from, Hvc to) {
    return from.equals(to) || from.isBefore(to);
  }

  /**
   * What reports of each grade have named: how many of the intervals, and a bound of when their
   * violations begin. While both show that no report can improve, a search is not needed.
   */
  private static final class Named {
    private final int[] count = new int[GRADES.length];
    private final long[] violateMax = new long[GRADES.length];

    void add(Retained interval) {
      for (int rank = 0; rank < GRADES.length; rank++) {
        if (interval.isNamed(GRADES[rank])) {
          count[rank]++;
          violateMax[rank] = Math.max(violateMax[rank], interval.earliest(GRADES[rank]));
        }
      }
    }

    void remove(Retained interval) {
      for (int rank = 0; rank < GRADES.length; rank++) {
        count[rank] -= interval.isNamed(GRADES[rank]) ? 1 : 0;
      }
    }
  }
}

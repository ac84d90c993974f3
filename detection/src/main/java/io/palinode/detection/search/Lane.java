package io.palinode.detection.search;

import io.palinode.detection.search.Search.Goal;

/**
 * One queue within one search: its intervals that go with all of {@code fixed} under the goal,
 * walked from the first to the last.
 */
final class Lane {
  private final IntervalQueue queue;
  private final int group;
  private final Retained[] fixed;
  private final Horizon horizon;
  private final Goal goal;
  private final int end;
  private int position;

  /** Standing on the first interval, if there is one. */
  Lane(IntervalQueue queue, int group, Retained[] fixed, Horizon horizon, Goal goal) {
    this.queue = queue;
    this.group = group;
    this.fixed = fixed;
    this.horizon = horizon;
    this.goal = goal;
    int from = 0;
    int to = queue.firstLaterThan(goal.violateMax());
    for (Retained each : fixed) {
      from = Math.max(from, queue.firstNotTooEarly(each, horizon, goal.grade()));
      to = Math.min(to, queue.firstTooLate(each, horizon, goal.grade()));
    }
    this.position = from;
    this.end = to;
    skipUnfit();
  }

  /** Standing where {@code other} stands. */
  Lane(Lane other) {
    this.queue = other.queue;
    this.group = other.group;
    this.fixed = other.fixed;
    this.horizon = other.horizon;
    this.goal = other.goal;
    this.position = other.position;
    this.end = other.end;
  }

  /** Of its term. */
  int group() {
    return group;
  }

  int node() {
    return queue.node();
  }

  boolean isExhausted() {
    return position >= end;
  }

  Retained head() {
    return queue.get(position);
  }

  /** When the head starts, on its own node. */
  long headStart() {
    return head().startOwn();
  }

  void next() {
    position++;
    skipUnfit();
  }

  /** Whether the head may end too early for the other's head, and so for all that follow that. */
  boolean isForbiddenBy(Lane other) {
    return horizon.mayEndTooEarly(head(), other.head(), goal.grade());
  }

  /** Past the head and all else that is known to end too early for {@code later}. */
  void passTo(Retained later) {
    position = Math.max(position + 1, queue.firstNotTooEarly(later, horizon, goal.grade()));
    skipUnfit();
  }

  private void skipUnfit() {
    while (position < end && !fits(queue.get(position))) {
      position++;
    }
  }

  private boolean fits(Retained interval) {
    for (Retained each : fixed) {
      if (!horizon.isCertain(interval, each, goal.grade())) {
        return false;
      }
    }
    return true;
  }
}

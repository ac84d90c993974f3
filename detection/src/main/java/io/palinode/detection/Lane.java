package io.palinode.detection;

/**
 * One queue within one search: its intervals that are concurrent with all of {@code fixed}, walked
 * from the first to the last.
 */
final class Lane {
  private final IntervalQueue queue;
  private final Retained[] fixed;
  private final Horizon horizon;
  private final int end;
  private int position;

  private Lane(IntervalQueue queue, Retained[] fixed, Horizon horizon, int position, int end) {
    this.queue = queue;
    this.fixed = fixed;
    this.horizon = horizon;
    this.position = position;
    this.end = end;
  }

  /** Standing on the first interval, if there is one. */
  static Lane of(IntervalQueue queue, Retained[] fixed, Horizon horizon) {
    int from = 0;
    int to = queue.size();
    for (Retained each : fixed) {
      from = Math.max(from, queue.firstNotBefore(each, horizon));
      to = Math.min(to, queue.firstAfter(each, horizon));
    }
    Lane lane = new Lane(queue, fixed, horizon, from, to);
    lane.skipOrdered();
    return lane;
  }

  Lane copy() {
    return new Lane(queue, fixed, horizon, position, end);
  }

  boolean isExhausted() {
    return position >= end;
  }

  Retained head() {
    return queue.get(position);
  }

  void next() {
    position++;
    skipOrdered();
  }

  /** Past the head and all else that is known to be before {@code later}. */
  void passTo(Retained later) {
    position = Math.max(position + 1, queue.firstNotBefore(later, horizon));
    skipOrdered();
  }

  private void skipOrdered() {
    while (position < end && isOrdered(queue.get(position))) {
      position++;
    }
  }

  private boolean isOrdered(Retained interval) {
    for (Retained each : fixed) {
      if (horizon.mayBeBefore(interval, each) || horizon.mayBeBefore(each, interval)) {
        return true;
      }
    }
    return false;
  }
}

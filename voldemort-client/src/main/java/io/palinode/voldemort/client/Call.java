package io.palinode.voldemort.client;

import java.time.Duration;

/**
 * A call on its way. All its requests are of one epoch, or of later ones that undid nothing of what
 * this client did.
 *
 * @param deadlineNanos until when it waits for paused nodes
 */
record Call(long epoch, long deadlineNanos) {
  static final Duration PAUSE_MIN = Duration.ofMillis(2);
  static final Duration PAUSE_MAX = Duration.ofMillis(50);

  boolean isOverdue(long nowNanos) {
    return nowNanos - deadlineNanos > 0;
  }

  /** The next wait between two attempts. */
  static Duration longer(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : doubled;
  }
}

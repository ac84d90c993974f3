package io.palinode.benchmarks.online;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Steps that are due at fixed times, whether or not the one before was in time: a latency counted
 * from {@link #dueNanos} has no coordinated omission. Not thread-safe.
 */
final class OpenLoop {
  private final long beginNanos;
  private final double nanosEach;
  private final long steps;

  /** Begins now. */
  OpenLoop(double rate, double seconds) {
    this.beginNanos = System.nanoTime();
    this.nanosEach = 1e9 / rate;
    this.steps = Math.max(1, Math.round(rate * seconds));
  }

  long steps() {
    return steps;
  }

  /** When step {@code index} is due, as {@link System#nanoTime} counts. */
  long dueNanos(long index) {
    return beginNanos + (long) (index * nanosEach);
  }

  /** Takes every step at its time, or as soon after it as it can. Returns how many a second. */
  double run(LongConsumer step) {
    for (long index = 0; index < steps; index++) {
      for (long wait = dueNanos(index) - System.nanoTime(); wait > 0; ) {
        LockSupport.parkNanos(wait);
        wait = dueNanos(index) - System.nanoTime();
      }
      step.accept(index);
    }
    return steps * 1e9 / (System.nanoTime() - beginNanos);
  }
}

package io.palinode.benchmarks.online;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for what other threads bring about. */
final class Await {
  private static final long LOOK_EVERY_MS = 5;

  private Await() {}

  /** Whether it came about in time. */
  static boolean until(BooleanSupplier done, Duration max) throws InterruptedException {
    long deadline = System.nanoTime() + max.toNanos();
    while (!done.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MS);
    }
    return true;
  }
}

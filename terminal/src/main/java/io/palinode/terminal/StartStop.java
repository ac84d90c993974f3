package io.palinode.terminal;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a part, also one that still starts: a start waits without a limit, so its thread is
 * interrupted. Thread-safe.
 */
public final class StartStop {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final Thread starter;
  private boolean started;

  /** {@code starter} is the thread that starts the part and then waits. */
  public StartStop(Thread starter) {
    this.starter = starter;
  }

  /** Asks the part to stop. */
  public synchronized void now() {
    asked.countDown();
    if (!started) {
      starter.interrupt();
    }
  }

  public boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** The part has started; returns whether it is asked to stop, after {@code max} at the latest. */
  public boolean await(Duration max) throws InterruptedException {
    synchronized (this) {
      started = true;
    }
    return isAsked() || asked.await(max.toNanos(), TimeUnit.NANOSECONDS);
  }
}

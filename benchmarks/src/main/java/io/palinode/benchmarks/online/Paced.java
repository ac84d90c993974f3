package io.palinode.benchmarks.online;

import io.palinode.benchmarks.StoreLoad.Request;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Requests of one client at fixed times. One that is late is made at once. Not thread-safe. */
public final class Paced implements Supplier<Request> {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Supplier<Request> requests;
  private final long nanosBetween;
  private long due = System.nanoTime();

  /**
   * @param perSecond requests of this client
   */
  public Paced(Supplier<Request> requests, double perSecond) {
    this.requests = requests;
    this.nanosBetween = Math.round(NANOS_PER_SECOND / perSecond);
  }

  @Override
  public Request get() {
    long wait = due - System.nanoTime();
    while (wait > 0) {
      LockSupport.parkNanos(wait);
      wait = due - System.nanoTime();
    }
    due += nanosBetween;
    return requests.get();
  }
}

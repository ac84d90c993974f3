package io.palinode.benchmarks.online;

import io.palinode.benchmarks.StoreLoad.Request;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Requests of one client at fixed times. One that is late is made at once. Not thread-safe. */
public final class Paced implements Supplier<Request> {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Supplier<Request> requests;
  private final long nanosBetween;
  private final LongSupplier nanos;
  private final LongConsumer parkNanos;
  private long due;

  /**
   * @param perSecond requests of this client
   */
  public Paced(Supplier<Request> requests, double perSecond) {
    this(requests, perSecond, System::nanoTime, LockSupport::parkNanos);
  }

  /**
   * @param parkNanos waits for about so long
   */
  Paced(Supplier<Request> requests, double perSecond, LongSupplier nanos, LongConsumer parkNanos) {
    this.requests = requests;
    this.nanosBetween = Math.round(NANOS_PER_SECOND / perSecond);
    this.nanos = nanos;
    this.parkNanos = parkNanos;
    this.due = nanos.getAsLong();
  }

  @Override
  public Request get() {
    for (long wait = due - nanos.getAsLong(); wait > 0; wait = due - nanos.getAsLong()) {
      parkNanos.accept(wait);
    }
    due += nanosBetween;
    return requests.get();
  }
}

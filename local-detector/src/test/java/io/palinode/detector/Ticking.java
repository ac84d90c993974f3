package io.palinode.detector;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A physical clock that advances by one microsecond with each reading. Thread-safe. */
public final class Ticking implements LongSupplier {
  private final AtomicLong micros = new AtomicLong(1_000_000);

  @Override
  public long getAsLong() {
    return micros.incrementAndGet();
  }
}

package io.palinode.voldemort.server;

import java.time.Instant;
import java.util.function.LongSupplier;

/** The machine's wall clock in microseconds since the Unix epoch. */
public final class SystemMicros implements LongSupplier {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long NANOS_PER_MICRO = 1_000;

  /** A clock that differs from this one. */
  public LongSupplier plus(long micros) {
    return () -> getAsLong() + micros;
  }

  @Override
  public long getAsLong() {
    Instant now = Instant.now();
    return now.getEpochSecond() * MICROS_PER_SECOND + now.getNano() / NANOS_PER_MICRO;
  }
}

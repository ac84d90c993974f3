package io.palinode.orchestrator.kafka;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;

/** The machine's wall clock in microseconds since the Unix epoch. */
enum SystemMicros implements LongSupplier {
  CLOCK;

  @Override
  public long getAsLong() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}

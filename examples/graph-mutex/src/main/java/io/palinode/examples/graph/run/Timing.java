package io.palinode.examples.graph.run;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The time of a client.
 *
 * @param nanoTime as {@code System.nanoTime}
 * @param pauseNanos waits about that long; an interrupt ends it early
 */
public record Timing(LongSupplier nanoTime, LongConsumer pauseNanos) {
  public static final Timing SYSTEM = new Timing(System::nanoTime, LockSupport::parkNanos);
}

package io.palinode.examples.graph.run;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a client does, and is where it stops: the next call after the run was stopped throws
 * {@link CancellationException}. One thread calls, any may read the count.
 */
final class CountedCells implements Cells {
  private final Cells cells;
  private final BooleanSupplier stopped;
  private final AtomicLong operations = new AtomicLong();
  private long greatestAcceptedAt;

  CountedCells(Cells cells, BooleanSupplier stopped) {
    this.cells = cells;
    this.stopped = stopped;
  }

  /** Gets and puts that returned. */
  long operations() {
    return operations.get();
  }

  /** The greatest {@code acceptedAt} since the last call, 0 for none. */
  long takeGreatestAcceptedAt() {
    long greatest = greatestAcceptedAt;
    greatestAcceptedAt = 0;
    return greatest;
  }

  @Override
  public @Nullable String get(String key) {
    requireRunning();
    String value = cells.get(key);
    operations.incrementAndGet();
    return value;
  }

  @Override
  public long put(String key, String value) {
    requireRunning();
    long acceptedAt = cells.put(key, value);
    operations.incrementAndGet();
    greatestAcceptedAt = Math.max(greatestAcceptedAt, acceptedAt);
    return acceptedAt;
  }

  @Override
  public void awaitSafe(long hlc, Duration timeout) {
    requireRunning();
    cells.awaitSafe(hlc, timeout);
  }

  @Override
  public void settle(Duration timeout) {
    requireRunning();
    cells.settle(timeout);
  }

  @Override
  public void close() {
    cells.close();
  }

  private void requireRunning() {
    if (stopped.getAsBoolean()) {
      throw new CancellationException("the run was stopped");
    }
  }
}

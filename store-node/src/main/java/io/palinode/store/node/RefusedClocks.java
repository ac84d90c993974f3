package io.palinode.store.node;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.hvc.ClockDriftException;
import io.palinode.store.engine.StorageHealth;
import org.jspecify.annotations.Nullable;

/** The messages that a node refused because a clock in them is too far ahead. Thread-safe. */
public final class RefusedClocks {
  private long count;
  private int node;
  private long aheadMicros;

  public synchronized void add(ClockDriftException refused) {
    count++;
    node = refused.other();
    aheadMicros = refused.aheadMicros();
  }

  /** With what else a node observes. */
  public synchronized NodeHealth health(ClockBounds clocks, StorageHealth health) {
    StorageHealth.@Nullable Refusal storage = health.refusal();
    return new NodeHealth(
        clocks.epsilon().isInfinite() ? null : clocks.epsilon().micros(),
        clocks.maxDrift().toNanos() / 1_000,
        count,
        node,
        aheadMicros,
        storage == null ? null : storage.sinceMicros(),
        storage == null ? "" : storage.reason(),
        health.freeBytes());
  }
}

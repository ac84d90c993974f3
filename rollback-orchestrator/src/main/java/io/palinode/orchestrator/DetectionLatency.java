package io.palinode.orchestrator;

import org.HdrHistogram.Histogram;

/**
 * From the first moment at which all witnesses held (on the witness's node's clock) to the receipt
 * of the violation here (on this machine's clock). Thread-safe.
 */
public final class DetectionLatency {
  private static final long MICROS_MAX = 3_600_000_000L;
  private static final int DIGITS = 3;
  private static final double MICROS_PER_MS = 1_000.0;

  private final Histogram micros = new Histogram(MICROS_MAX, DIGITS);

  /** A latency above an hour counts as an hour. */
  public synchronized void record(long latencyMicros) {
    micros.recordValue(Math.min(MICROS_MAX, Math.max(0, latencyMicros)));
  }

  public synchronized LatencySnapshot snapshot() {
    return new LatencySnapshot(micros.getTotalCount(), at(50), at(99), at(99.9), at(100));
  }

  /** Forgets what was recorded, as at the end of a warm-up. */
  public synchronized void reset() {
    micros.reset();
  }

  private double at(double percentile) {
    return micros.getTotalCount() == 0
        ? 0
        : micros.getValueAtPercentile(percentile) / MICROS_PER_MS;
  }
}

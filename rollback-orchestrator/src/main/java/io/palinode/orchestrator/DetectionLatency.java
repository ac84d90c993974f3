package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * From the first moment at which all witnesses held (on the witness's node's clock) to the receipt
 * of the violation here (on this machine's clock). A grade that rises is news of its own, so there
 * is a latency for each grade: to the receipt of the first record that has at least that.
 * Thread-safe.
 */
public final class DetectionLatency {
  private static final long MICROS_MAX = 3_600_000_000L;
  private static final int DIGITS = 3;
  private static final double MICROS_PER_MS = 1_000.0;

  private final Map<Grade, Histogram> micros = new EnumMap<>(Grade.class);

  /**
   * A violation has reached {@code grade}, which counts once a violation. A latency above an hour
   * counts as an hour.
   */
  public synchronized void record(Grade grade, long latencyMicros) {
    histogram(grade).recordValue(Math.min(MICROS_MAX, Math.max(0, latencyMicros)));
  }

  /** Of the violations that have reached {@code grade}. */
  public synchronized LatencySnapshot snapshot(Grade grade) {
    Histogram of = histogram(grade);
    return new LatencySnapshot(
        of.getTotalCount(), at(of, 50), at(of, 99), at(of, 99.9), at(of, 100));
  }

  /** Forgets what was recorded, as at the end of a warm-up. */
  public synchronized void reset() {
    micros.clear();
  }

  private Histogram histogram(Grade grade) {
    return micros.computeIfAbsent(grade, g -> new Histogram(MICROS_MAX, DIGITS));
  }

  private static double at(Histogram of, double percentile) {
    return of.getTotalCount() == 0 ? 0 : of.getValueAtPercentile(percentile) / MICROS_PER_MS;
  }
}

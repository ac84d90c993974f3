package io.palinode.orchestrator;

import io.palinode.hvc.Grade;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * From the time at which all witnesses held to the receipt of the violation. Thread-safe. The first
 * is by the clock of the witness's node, the second by this machine's. Each grade has its own
 * latency, up to the first record of at least that grade.
 */
public final class DetectionLatency {
  private static final long MICROS_MAX = 3_600_000_000L;
  private static final int DIGITS = 3;
  private static final double MICROS_PER_MS = 1_000.0;

  private final Map<Grade, Histogram> micros = new EnumMap<>(Grade.class);

  /**
   * Records that a violation reached {@code grade}; call once per violation. More than an hour
   * counts as an hour.
   */
  public synchronized void record(Grade grade, long latencyMicros) {
    histogram(grade).recordValue(Math.min(MICROS_MAX, Math.max(0, latencyMicros)));
  }

  /** The latencies of violations that reached {@code grade}. */
  public synchronized LatencySnapshot snapshot(Grade grade) {
    Histogram of = histogram(grade);
    return new LatencySnapshot(
        of.getTotalCount(), at(of, 50), at(of, 99), at(of, 99.9), at(of, 100));
  }

  /** Drops all latencies, as after a warm-up. */
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

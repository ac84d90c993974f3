package io.palinode.benchmarks.online;

import org.HdrHistogram.Histogram;

/** Percentiles of a latency, in milliseconds. */
public record Latency(double p50, double p90, double p99, double p999, double max) {
  static Latency of(Histogram micros) {
    return new Latency(
        micros.getValueAtPercentile(50) / 1e3,
        micros.getValueAtPercentile(90) / 1e3,
        micros.getValueAtPercentile(99) / 1e3,
        micros.getValueAtPercentile(99.9) / 1e3,
        micros.getMaxValue() / 1e3);
  }
}

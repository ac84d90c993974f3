package io.palinode.orchestrator;

/** Percentiles of detection latency in milliseconds; zeros when {@code count} is 0. */
public record LatencySnapshot(
    long count, double p50Ms, double p99Ms, double p999Ms, double maxMs) {}

package io.palinode.orchestrator;

/**
 * A plan that was carried out: it opened {@code epoch}, and the store went back to {@code target}.
 */
public record PastPlan(long epoch, String predicate, long openedMicros, long target) {}

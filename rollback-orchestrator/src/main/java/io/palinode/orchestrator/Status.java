package io.palinode.orchestrator;

import org.jspecify.annotations.Nullable;

/**
 * Where the orchestrator stands. HLC times are 0 before there is one.
 *
 * @param phase of the open plan; null when none is open
 * @param heldAt the safe point does not pass this HLC because of lost coverage; null: not held
 * @param losses lost ranges that were not acknowledged
 * @param failure why it has stopped; null while it works
 */
public record Status(
    long epoch,
    @Nullable Phase phase,
    long safePoint,
    long safePointLagMicros,
    long judged,
    long judgedLagMicros,
    @Nullable Long heldAt,
    int losses,
    long violations,
    long rollbacks,
    int predicates,
    int nodes,
    int nodesJoined,
    @Nullable String failure) {}

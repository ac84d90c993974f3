package io.palinode.orchestrator;

import io.palinode.orchestrator.plan.Phase;
import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.violations.SequentialSpan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the orchestrator stands. HLC times are 0 before there is one.
 *
 * @param openEpoch what the open plan opens; null when none is open
 * @param phase of the open plan; null when none is open
 * @param haltReason why it is halted; null when it is not
 * @param abandonedEpoch the plan that was abandoned and not acknowledged; null: none
 * @param serving which nodes serve the epoch
 * @param heldAt the safe point does not pass this HLC because of lost coverage or an abandoned
 *     plan; null: not held
 * @param losses coverage gaps that are not acknowledged
 * @param gapsFound the number of the latest coverage gap
 * @param phantoms how many violations are none with joined replicas
 * @param sequential what clients are asked to use sequentially now
 * @param gate what keeps violations from being rolled back
 * @param trouble what it waits for or cannot write, though it works; null: nothing
 * @param failure why it has stopped; null while it works
 */
public record Status(
    long epoch,
    @Nullable Long openEpoch,
    @Nullable Phase phase,
    @Nullable String haltReason,
    @Nullable Long abandonedEpoch,
    ServingNodes serving,
    long safePoint,
    long safePointLagMicros,
    long judged,
    long judgedLagMicros,
    @Nullable Long heldAt,
    long losses,
    long gapsFound,
    long violations,
    long phantoms,
    long rollbacks,
    int predicates,
    int nodes,
    int nodesJoined,
    List<SequentialSpan> sequential,
    GateStatus gate,
    @Nullable String trouble,
    @Nullable String failure) {}

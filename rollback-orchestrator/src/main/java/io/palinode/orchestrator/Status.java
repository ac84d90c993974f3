package io.palinode.orchestrator;

import io.palinode.orchestrator.plan.ServingNodes;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.wire.plan.Phase;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the orchestrator, for operators. Immutable. HLC times are 0 before the first.
 *
 * @param openEpoch the epoch that the open plan opens; null: no plan is open
 * @param phase of the open plan; null: no plan is open
 * @param haltReason why the plan is halted; null: it is not
 * @param abandonedEpoch the abandoned plan that is not acknowledged; null: none
 * @param serving the nodes that serve the epoch
 * @param heldAt the HLC that the safe point may not pass, because of a coverage gap or an abandoned
 *     plan; null: not held
 * @param losses coverage gaps that are not acknowledged
 * @param gapsFound the number of the latest coverage gap
 * @param phantoms the number of phantoms
 * @param sequential the sequential spans in force
 * @param gate approval requests and budgets
 * @param open what other machines may do at nodes without proof
 * @param unrestorable the predicates in force whose rollbacks a node cannot do
 * @param trouble what the orchestrator waits for or cannot write while it runs; null: nothing
 * @param failure why it does not run: it starts, or has stopped; null: it runs
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
    List<String> open,
    List<Unrestorable> unrestorable,
    @Nullable String trouble,
    @Nullable String failure) {
  /** The {@link #failure} of an orchestrator that has just started, or taken over. */
  public static final String REPLAYING =
      "the orchestrator starts, and is still reading its logs; ask again in some seconds";
}

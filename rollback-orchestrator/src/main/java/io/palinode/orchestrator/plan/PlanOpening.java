package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.ControlRecord;

/**
 * The content of the {@code PlanOpened} record. It does not change while the plan is open.
 *
 * @param epoch the epoch that the plan opens
 * @param atMicros when the plan was opened, by the orchestrator's clock
 * @param operator the part that an operator requested
 */
public record PlanOpening(long epoch, String predicate, long atMicros, OperatorPart operator) {
  static PlanOpening of(ControlRecord record) {
    return new PlanOpening(
        record.getEpoch(),
        record.getPlanOpened().getPredicate(),
        record.getAtMicros(),
        OperatorPart.of(record.getPlanOpened()));
  }
}

package io.palinode.orchestrator.violations;

import io.palinode.wire.v1.ApprovalAsked;
import java.util.List;
import java.util.Set;

/**
 * A rollback that waits for an operator's approval, and all that it takes to open it: whatever
 * becomes of its predicate meanwhile, and whoever reads it.
 *
 * @param number its name
 * @param epoch in force when it was asked for
 * @param violationIds the first of its violations
 * @param toldMicros when its newest record was written
 * @param target where it would go
 * @param violate the least of its violations
 * @param last the greatest
 * @param touches the instances that they are about
 */
public record ApprovalRequest(
    long number,
    String predicate,
    long epoch,
    long askedMicros,
    long toldMicros,
    List<String> violationIds,
    long target,
    long violate,
    long last,
    List<TouchedInstance> touches) {

  public ApprovalRequest {
    violationIds = List.copyOf(violationIds);
    touches = List.copyOf(touches);
  }

  public static ApprovalRequest of(long epoch, long atMicros, ApprovalAsked asked) {
    return new ApprovalRequest(
        asked.getNumber(),
        asked.getPredicate(),
        epoch,
        atMicros,
        atMicros,
        asked.getViolationIdsList(),
        asked.getTarget(),
        asked.getViolate(),
        Math.max(asked.getViolate(), asked.getLast()),
        asked.getTouchedList().stream().map(TouchedInstance::of).toList());
  }

  /** With what joined it since. */
  public ApprovalRequest with(long atMicros, ApprovalAsked more) {
    Demand both = demand().fold(of(epoch, atMicros, more).demand());
    return new ApprovalRequest(
        number,
        predicate,
        epoch,
        askedMicros,
        atMicros,
        both.ids(),
        both.target(),
        both.violate(),
        both.last(),
        both.touches());
  }

  /** What waits, as far as the log tells. */
  public Demand demand() {
    return new Demand(epoch, predicate, 0, violationIds, violate, last, target, touches, Set.of());
  }

  /** Whether the log tells of all that {@code demand} asks for, but for the names of violations. */
  public boolean includes(Demand demand) {
    return target <= demand.target() && violate <= demand.violate() && demand.last() <= last;
  }
}

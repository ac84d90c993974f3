package io.palinode.orchestrator.violations;

import io.palinode.wire.v1.ApprovalAsked;
import java.util.List;
import java.util.Set;

/**
 * A rollback that waits for an operator's approval. Immutable. It holds all that is needed to open
 * the plan, even if the predicate changes.
 *
 * @param number its name
 * @param epoch in force when it was asked for
 * @param askedMicros when its first record was written
 * @param recordedMicros when its newest record was written
 * @param violationIds the first of its violations
 * @param target the target of the plan
 * @param violate the least of its violations
 * @param last the greatest of its violations
 * @param touches the instances of its violations
 */
public record ApprovalRequest(
    long number,
    String predicate,
    long epoch,
    long askedMicros,
    long recordedMicros,
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

  /** With violations that joined the request later. */
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

  /** The demand that waits, as far as the log holds it. */
  public Demand demand() {
    return new Demand(epoch, predicate, 0, violationIds, violate, last, target, touches, Set.of());
  }

  /** Whether the log holds all that {@code demand} asks for, except violation ids. */
  public boolean includes(Demand demand) {
    return target <= demand.target() && violate <= demand.violate() && demand.last() <= last;
  }
}

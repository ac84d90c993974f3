package io.palinode.orchestrator;

import io.palinode.wire.v1.ApprovalAsked;
import java.util.List;

/**
 * A rollback that waits for an operator's approval.
 *
 * @param number its name
 * @param epoch in force when it was asked for
 * @param violationIds the first of its violations
 * @param target where it would have gone when it was asked for; violations since move that back
 * @param violate of the first violation
 */
public record Request(
    long number,
    String predicate,
    long epoch,
    long askedMicros,
    List<String> violationIds,
    long target,
    long violate) {

  public Request {
    violationIds = List.copyOf(violationIds);
  }

  static Request of(long epoch, long atMicros, ApprovalAsked asked) {
    return new Request(
        asked.getNumber(),
        asked.getPredicate(),
        epoch,
        atMicros,
        asked.getViolationIdsList(),
        asked.getTarget(),
        asked.getViolate());
  }
}

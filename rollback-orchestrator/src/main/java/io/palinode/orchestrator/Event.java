package io.palinode.orchestrator;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Violation;
import java.util.Map;
import java.util.Set;

/** What the machine hears. {@code atMicros} is the wall clock at which it was received. */
public sealed interface Event {
  long atMicros();

  /** An operator's word, which is put until it is in the log or its caller is answered. */
  sealed interface Spoken extends Event {}

  /** A record of the control log, in its order; also the machine's own. */
  record ControlRead(ControlRecord record, long atMicros) implements Event {}

  /** A violation, in the order of the violations log; repeats are harmless. */
  record ViolationFound(Violation violation, long atMicros) implements Event {}

  /** With joined replicas, the violation of this id is none; nothing that the machine acts on. */
  record PhantomFound(String id, String predicate, long atMicros) implements Event {}

  /** Every violation with {@code violate <= hlc} has been passed in. */
  record Judged(long hlc, long atMicros) implements Event {}

  /** What happened at a node in this HLC range was not seen. */
  record CoverageLost(io.palinode.wire.v1.CoverageLost loss, long atMicros) implements Event {}

  /**
   * An operator acknowledges all coverage gaps up to this number, and abandoned plans: the safe
   * point may pass them.
   */
  record CoverageAcknowledged(long toNumber, long atMicros) implements Event {
    public static final long ALL = Long.MAX_VALUE;
  }

  /** An operator's word on the plan that is halted. */
  record OperatorSpoke(long epoch, Intervention intervention, long atMicros) implements Spoken {}

  /**
   * An operator ends the open plan with the data that each node has; {@code stopped} do not run.
   */
  record EndAsIsWanted(long epoch, Set<Integer> stopped, long atMicros) implements Event {
    public EndAsIsWanted {
      stopped = Set.copyOf(stopped);
    }
  }

  /** An operator wants a rollback; dropped when it is not possible now. */
  record RollbackWanted(RollbackRequest request, long atMicros) implements Spoken {}

  /** An operator wants the rollback that opens {@code epoch} no more. */
  record CancelWanted(long epoch, long atMicros) implements Spoken {}

  /** An operator's answer to a request for approval; dropped when it is not possible now. */
  record ApprovalAnswered(long number, boolean approve, long atMicros) implements Spoken {}

  /** An operator lets a predicate's budget begin anew. */
  record RenewalWanted(String predicate, long atMicros) implements Spoken {}

  /** All predicates, by name, as the log has them at the start. */
  record PoliciesKnown(Map<String, Policy> policies, long atMicros) implements Event {
    public PoliciesKnown {
      policies = Map.copyOf(policies);
    }
  }

  /** A predicate was applied or deleted. */
  record PolicyChanged(Policy policy, long atMicros) implements Event {}

  /** All logs have been replayed: from here on the machine acts. */
  record CaughtUp(long atMicros) implements Event {}

  /** The producer gave up on an append. */
  record AppendFailed(ControlRecord record, AppendFailure failure, String reason, long atMicros)
      implements Event {
    /** One after which a later try may succeed; the record may still be in the log. */
    public AppendFailed(ControlRecord record, String reason, long atMicros) {
      this(record, AppendFailure.TRANSIENT, reason, atMicros);
    }
  }

  /** Time has passed. */
  record Tick(long atMicros) implements Event {}
}

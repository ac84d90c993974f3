package io.palinode.orchestrator;

import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Violation;
import java.util.Map;
import java.util.Set;

/** An input of the machine. {@code atMicros} is the wall clock at its receipt. */
public sealed interface Event {
  long atMicros();

  /** An operator's request, repeated until it is in the log or its caller has an answer. */
  sealed interface OperatorEvent extends Event {}

  /** A record of the control log, in its order. Includes the machine's own records. */
  record ControlRead(ControlRecord record, long atMicros) implements Event {}

  /** A violation, in the order of the violations log. Repeats change nothing. */
  record ViolationFound(Violation violation, long atMicros) implements Event {}

  /** The violation of this id is a phantom. The machine does not act on it. */
  record PhantomFound(String id, String predicate, long atMicros) implements Event {}

  /** The violation of this id has ended. The machine does not act on it. */
  record ViolationEnded(String id, long hlc, long atMicros) implements Event {}

  /** Every violation with {@code violate <= hlc} has been passed in. */
  record Judged(long hlc, long atMicros) implements Event {}

  /** A coverage gap: events at a node in this HLC range were not judged. */
  record CoverageLost(io.palinode.wire.v1.CoverageLost loss, long atMicros) implements Event {}

  /**
   * An operator acknowledges coverage gaps up to this number, and abandoned plans. The safe point
   * may then pass them.
   */
  record CoverageAcknowledged(long toNumber, long atMicros) implements Event {
    public static final long ALL = Long.MAX_VALUE;
  }

  /** An operator's intervention in the open plan. */
  record InterventionWanted(long epoch, Intervention intervention, long atMicros)
      implements OperatorEvent {}

  /**
   * An operator ends the open plan with the data that each node has. {@code stopped} nodes do not
   * run.
   */
  record EndAsIsWanted(long epoch, Set<Integer> stopped, long atMicros) implements Event {
    public EndAsIsWanted {
      stopped = Set.copyOf(stopped);
    }
  }

  /** An operator asks for a rollback. Dropped if it is not possible now. */
  record RollbackWanted(RollbackRequest request, long atMicros) implements OperatorEvent {}

  /** An operator cancels the rollback that opens {@code epoch}. */
  record CancelWanted(long epoch, long atMicros) implements OperatorEvent {}

  /** An operator answers an approval request. Dropped if it is not possible now. */
  record ApprovalAnswered(long number, boolean approve, long atMicros) implements OperatorEvent {}

  /** An operator renews a predicate's budget. */
  record RenewalWanted(String predicate, long atMicros) implements OperatorEvent {}

  /** What an operator wants, with the name of the user for its record. */
  record ByUser(Event wanted, String user) implements Event {
    @Override
    public long atMicros() {
      return wanted.atMicros();
    }
  }

  /** All predicates of the log, at the start. Keys are predicate names. */
  record PoliciesKnown(Map<String, Policy> policies, long atMicros) implements Event {
    public PoliciesKnown {
      policies = Map.copyOf(policies);
    }
  }

  /** A predicate was applied or deleted. */
  record PolicyChanged(Policy policy, long atMicros) implements Event {}

  /** All logs have been replayed. The machine acts from here on. */
  record CaughtUp(long atMicros) implements Event {}

  /** An append failed. */
  record AppendFailed(ControlRecord record, AppendFailure failure, String reason, long atMicros)
      implements Event {
    /** A failure after which a retry may succeed. The record may still be in the log. */
    public AppendFailed(ControlRecord record, String reason, long atMicros) {
      this(record, AppendFailure.TRANSIENT, reason, atMicros);
    }
  }

  /** Time has passed. */
  record Tick(long atMicros) implements Event {}
}

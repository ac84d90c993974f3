package io.palinode.orchestrator.history;

import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.health.NodeState;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.plan.Rollback;

/** A change of what the API shows. */
public sealed interface Change {
  /** Of what clients can make long. */
  default long bytes() {
    return 0;
  }

  /** A violation is new, has ended, or has another grade or outcome, or is a phantom. */
  record OfViolation(ReceivedViolation now) implements Change {
    @Override
    public long bytes() {
      return now.bytes();
    }
  }

  /** A rollback has another state, or begins another attempt. */
  record OfRollback(Rollback now) implements Change {}

  record WaitBegan(Wait began, long atMicros) implements Change {}

  record WaitEnded(Wait ended, long atMicros) implements Change {}

  /** A node has another state, or has joined again. */
  record OfNode(NodeState now) implements Change {}
}

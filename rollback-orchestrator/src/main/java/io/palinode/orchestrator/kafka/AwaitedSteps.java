package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.wire.v1.SnapshotStep;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Steps that callers wait for until the log has them. Not thread-safe. */
final class AwaitedSteps {
  private final Map<SnapshotStep, Waiting> waiting = new HashMap<>();

  /** The outcome of a step. */
  static final class Waiting {
    private int callers;
    private boolean read;
    private OperatorAppends.@Nullable Failed failed;

    boolean isRead() {
      return read;
    }

    OperatorAppends.@Nullable Failed failed() {
      return failed;
    }
  }

  /** Registers a caller. Equal steps of several callers are one. */
  Waiting await(SnapshotStep step) {
    Waiting one = waiting.computeIfAbsent(step, s -> new Waiting());
    one.callers++;
    return one;
  }

  /** Removes a caller. */
  void leave(SnapshotStep step) {
    Waiting one = waiting.get(step);
    if (one != null && --one.callers == 0) {
      waiting.remove(step);
    }
  }

  void read(SnapshotStep step) {
    Waiting one = waiting.get(step);
    if (one != null) {
      one.read = true;
    }
  }

  /** Whether a caller waits for it. */
  boolean failed(SnapshotStep step, AppendFailure failure, String reason) {
    Waiting one = waiting.get(step);
    if (one != null) {
      one.failed = new OperatorAppends.Failed(failure, reason);
    }
    return one != null;
  }
}

package io.palinode.orchestrator;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.Violation;
import org.jspecify.annotations.Nullable;

/**
 * A violation as it came in.
 *
 * @param receivedMicros the wall clock right when the record was received
 * @param replayed it was in the log when this orchestrator started, so its latency means nothing
 * @param outcome null until it is classified
 * @param phantom it is known to be none with joined replicas
 */
public record ReceivedViolation(
    Violation violation,
    long receivedMicros,
    boolean replayed,
    Command.@Nullable Outcome outcome,
    boolean phantom) {

  /** From the moment at which all witnesses held to the receipt; never negative. */
  public long latencyMicros() {
    return Math.max(0, receivedMicros - Hlc.micros(violation.getViolate()));
  }

  /** Read again, with another grade. */
  public ReceivedViolation again(Violation same, long atMicros, boolean isReplayed) {
    return new ReceivedViolation(same, atMicros, isReplayed, outcome, phantom);
  }

  public ReceivedViolation with(Command.Outcome newOutcome) {
    return new ReceivedViolation(violation, receivedMicros, replayed, newOutcome, phantom);
  }

  public ReceivedViolation asPhantom() {
    return new ReceivedViolation(violation, receivedMicros, replayed, outcome, true);
  }
}

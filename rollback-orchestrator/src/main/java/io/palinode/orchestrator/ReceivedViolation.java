package io.palinode.orchestrator;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.Violation;
import org.jspecify.annotations.Nullable;

/**
 * A violation and its receipt. Immutable.
 *
 * @param receivedMicros the wall clock at the receipt of the record
 * @param replayed the log held it when this orchestrator started, so its latency has no meaning
 * @param outcome null until it is classified
 * @param phantom the monitor has published it as a phantom
 */
public record ReceivedViolation(
    Violation violation,
    long receivedMicros,
    boolean replayed,
    Command.@Nullable Outcome outcome,
    boolean phantom) {

  /** From the time at which all witnesses held to the receipt; never negative. */
  public long latencyMicros() {
    return Math.max(0, receivedMicros - Hlc.micros(violation.getViolate()));
  }

  /** With a repeat that has another grade. */
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

package io.palinode.orchestrator;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import org.jspecify.annotations.Nullable;

/**
 * What this run of the orchestrator has written and not yet read back. It is not in the log, so it
 * is empty after a restart. Immutable.
 *
 * @param awaited the one protocol step that is on its way
 * @param sinceMicros when it was written
 * @param retryMicros no step is written before this time: the last append failed
 * @param safePoint the greatest safe point written, perhaps not in the log
 * @param safePointMicros when it was written
 */
public record Outbox(
    @Nullable ControlRecord awaited,
    long sinceMicros,
    long retryMicros,
    long safePoint,
    long safePointMicros) {
  static final long RETRY_AFTER_MICROS = 1_000_000;
  static final Outbox EMPTY = new Outbox(null, 0, 0, 0, 0);

  boolean mayWrite(long nowMicros) {
    return awaited == null && nowMicros >= retryMicros;
  }

  Outbox wrote(ControlRecord step, long nowMicros) {
    return new Outbox(step, nowMicros, retryMicros, safePoint, safePointMicros);
  }

  Outbox wroteSafePoint(long hlc, long nowMicros) {
    return new Outbox(awaited, sinceMicros, retryMicros, hlc, nowMicros);
  }

  /**
   * Also another orchestrator's record of that step answers ours, when it is the one that counts.
   * One that does not count leaves ours to come.
   */
  Outbox read(ControlRecord record, boolean counts) {
    boolean isOther = counts && awaited != null && isSameStep(awaited, record);
    return isOther || record.equals(awaited)
        ? new Outbox(null, 0, retryMicros, safePoint, safePointMicros)
        : this;
  }

  Outbox failed(ControlRecord record, long nowMicros) {
    return record.equals(awaited)
        ? new Outbox(null, 0, nowMicros + RETRY_AFTER_MICROS, safePoint, safePointMicros)
        : this;
  }

  private static boolean isSameStep(ControlRecord a, ControlRecord b) {
    return a.getEpoch() == b.getEpoch()
        && a.getStepCase() == b.getStepCase()
        && a.getRestore().getAttempt() == b.getRestore().getAttempt()
        && a.getConverge().getAttempt() == b.getConverge().getAttempt()
        && a.getResume().getAttempt() == b.getResume().getAttempt()
        && a.getHalted().getAttempt() == b.getHalted().getAttempt()
        && a.getHalted().getHaltsBefore() == b.getHalted().getHaltsBefore()
        && a.getRetry().getHalt() == b.getRetry().getHalt()
        && a.getAbandon().getHalt() == b.getAbandon().getHalt()
        && a.getCoverage().getStepCase() == b.getCoverage().getStepCase()
        && isSameGate(a.getGate(), b.getGate());
  }

  /** Several of them may be of one epoch. */
  private static boolean isSameGate(GateStep a, GateStep b) {
    return a.getStepCase() == b.getStepCase()
        && a.getAsked().getPredicate().equals(b.getAsked().getPredicate())
        && a.getAsked().getNumber() == b.getAsked().getNumber()
        && a.getLetStand().getPredicate().equals(b.getLetStand().getPredicate())
        && a.getLetStand().getRejects() == b.getLetStand().getRejects()
        && a.getLetStand().getHeld() == b.getLetStand().getHeld()
        && a.getHeldNoMore().getPredicate().equals(b.getHeldNoMore().getPredicate())
        && a.getRenewed().getPredicate().equals(b.getRenewed().getPredicate());
  }
}

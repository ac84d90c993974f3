package io.palinode.orchestrator.state;

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
 * @param unwritten the own step that the log did not take when it was tried last; null: none
 */
public record Outbox(
    @Nullable ControlRecord awaited,
    long sinceMicros,
    long retryMicros,
    long safePoint,
    long safePointMicros,
    @Nullable Unwritten unwritten) {
  static final Outbox EMPTY = new Outbox(null, 0, 0, 0, 0, null);

  public boolean mayWrite(long nowMicros) {
    return awaited == null && nowMicros >= retryMicros;
  }

  public Outbox wrote(ControlRecord step, long nowMicros) {
    return new Outbox(step, nowMicros, retryMicros, safePoint, safePointMicros, unwritten);
  }

  public Outbox wroteSafePoint(long hlc, long nowMicros) {
    return new Outbox(awaited, sinceMicros, retryMicros, hlc, nowMicros, unwritten);
  }

  /**
   * Also another orchestrator's record of that step answers ours, when it is the one that counts.
   * One that does not count leaves ours to come.
   */
  public Outbox read(ControlRecord record, boolean counts) {
    boolean isOther = counts && awaited != null && isSameStep(awaited, record);
    if (isOther || record.equals(awaited)) {
      return new Outbox(null, 0, retryMicros, safePoint, safePointMicros, null);
    }
    boolean isSafePoint = unwritten != null && unwritten.step().hasSafePoint();
    return isSafePoint && record.hasSafePoint() ? withoutUnwritten() : this;
  }

  /** The log did not take a record of this run. A word of an operator is not tried again. */
  public Outbox failed(ControlRecord record, AppendFailure failure, String reason, long nowMicros) {
    boolean isAwaited = record.equals(awaited);
    if (isAwaited && isOperators(record)) {
      long retry = nowMicros + Unwritten.RETRY_MICROS;
      return new Outbox(null, 0, retry, safePoint, safePointMicros, unwritten);
    }
    if (!isAwaited && !record.hasSafePoint()) {
      return this;
    }
    Unwritten again = Unwritten.after(unwritten, record, failure, reason, nowMicros);
    return isAwaited
        ? new Outbox(null, 0, again.retryMicros(nowMicros), safePoint, safePointMicros, again)
        : new Outbox(awaited, sinceMicros, retryMicros, safePoint, safePointMicros, again);
  }

  /** No step is due any more; safe points are no steps. */
  public Outbox withNothingDue() {
    return unwritten == null || unwritten.step().hasSafePoint() ? this : withoutUnwritten();
  }

  private Outbox withoutUnwritten() {
    return new Outbox(awaited, sinceMicros, retryMicros, safePoint, safePointMicros, null);
  }

  /** The record says what an operator asked for; the state does not ask for it again. */
  static boolean isOperators(ControlRecord record) {
    return switch (record.getStepCase()) {
      case RETRY, ABANDON, CANCEL -> true;
      case PLAN_OPENED ->
          !record.getPlanOpened().getRequest().isEmpty()
              || record.getPlanOpened().getApproves() > 0;
      case GATE -> record.getGate().hasRenewed() || record.getGate().getLetStand().getRejects() > 0;
      default -> false;
    };
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

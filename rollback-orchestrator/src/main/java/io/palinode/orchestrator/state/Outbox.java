package io.palinode.orchestrator.state;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import org.jspecify.annotations.Nullable;

/**
 * The records that this run has written and not yet read back. Immutable. Empty after a restart.
 *
 * @param awaited the one protocol step that was written and not read yet
 * @param sinceMicros when that step was written
 * @param retryMicros no step is written before this time, as the last append failed
 * @param safePoint the greatest safe point written, perhaps not in the log
 * @param safePointMicros when that safe point was written
 * @param unwritten the step that the log last refused; null: none
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
   * After a record of the log. Another orchestrator's record of the awaited step also answers it,
   * if that record counts.
   */
  public Outbox read(ControlRecord record, boolean counts) {
    boolean isOther = counts && awaited != null && isSameStep(awaited, record);
    if (isOther || record.equals(awaited)) {
      return new Outbox(null, 0, retryMicros, safePoint, safePointMicros, null);
    }
    boolean isSafePoint = unwritten != null && unwritten.step().hasSafePoint();
    return isSafePoint && record.hasSafePoint() ? withoutUnwritten() : this;
  }

  /** After the log did not take a record of this run. An operator's step is not repeated. */
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

  /** After a decision that no step is due. A safe point is not a step. */
  public Outbox withNothingDue() {
    return unwritten == null || unwritten.step().hasSafePoint() ? this : withoutUnwritten();
  }

  private Outbox withoutUnwritten() {
    return new Outbox(awaited, sinceMicros, retryMicros, safePoint, safePointMicros, null);
  }

  /** Whether an operator asked for the record. The state does not ask for it again. */
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

  /** Whether two gate records are one step. One epoch may have several. */
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

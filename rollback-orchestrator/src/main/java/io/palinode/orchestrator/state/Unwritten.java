package io.palinode.orchestrator.state;

import io.palinode.wire.v1.ControlRecord;
import org.jspecify.annotations.Nullable;

/**
 * A step that the control log did not take. Immutable.
 *
 * @param sinceMicros when it first failed
 * @param alertedMicros when it was last alerted
 * @param tries that failed
 */
public record Unwritten(
    ControlRecord step,
    AppendFailure failure,
    String reason,
    long sinceMicros,
    long alertedMicros,
    int tries) {
  public static final long RETRY_MICROS = 1_000_000;
  static final long RETRY_SLOWLY_MICROS = 10_000_000;
  static final long ALERT_EVERY_MICROS = 60_000_000;

  /** The limit of each free text in a record of the orchestrator. */
  public static final int TEXT_CHARS_MAX = 1_024;

  /** After one more failure, of the same step or of a later one. */
  static Unwritten after(
      @Nullable Unwritten before,
      ControlRecord step,
      AppendFailure failure,
      String reason,
      long nowMicros) {
    String text = clipped(reason);
    return before == null
        ? new Unwritten(step, failure, text, nowMicros, nowMicros, 1)
        : new Unwritten(
            step,
            failure,
            text,
            before.sinceMicros,
            before.isAlertDue(nowMicros) ? nowMicros : before.alertedMicros,
            before.tries + 1);
  }

  private boolean isAlertDue(long nowMicros) {
    return nowMicros - alertedMicros >= ALERT_EVERY_MICROS;
  }

  /** Whether the last failure is alerted: the first one, then one per minute. */
  public boolean isAlerted(long nowMicros) {
    return alertedMicros == nowMicros;
  }

  long retryMicros(long nowMicros) {
    boolean isSlow = failure.isPermanent() && tries > 1;
    return nowMicros + (isSlow ? RETRY_SLOWLY_MICROS : RETRY_MICROS);
  }

  /** One sentence for operators. */
  public String text(long nowMicros) {
    return "the control log has not taken %s of epoch %d for %d s (%d tries), and tries again: %s"
        .formatted(
            step.getStepCase(),
            step.getEpoch(),
            Math.max(0, nowMicros - sinceMicros) / 1_000_000,
            tries,
            reason);
  }

  public boolean halts() {
    return failure == AppendFailure.UNWRITABLE && !step.hasSafePoint();
  }

  public static boolean isLong(String text) {
    return text.length() > TEXT_CHARS_MAX;
  }

  public static String clipped(String text) {
    return isLong(text) ? text.substring(0, TEXT_CHARS_MAX - 1) + "…" : text;
  }
}

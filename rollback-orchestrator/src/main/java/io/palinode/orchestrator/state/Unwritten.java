package io.palinode.orchestrator.state;

import io.palinode.wire.v1.ControlRecord;
import org.jspecify.annotations.Nullable;

/**
 * A step of the orchestrator's own that the control log did not take, and takes still not.
 * Immutable.
 *
 * @param sinceMicros when it failed first
 * @param alertedMicros when people were alerted last
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

  /** Of each free text in a record that the orchestrator writes. */
  public static final int TEXT_CHARS_MAX = 1_024;

  /** After one more failure, of the same step or of the next one. */
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

  /** The last failure is one that people are alerted of: the first, and one each minute. */
  public boolean isAlerted(long nowMicros) {
    return alertedMicros == nowMicros;
  }

  long retryMicros(long nowMicros) {
    boolean isSlow = failure.isPermanent() && tries > 1;
    return nowMicros + (isSlow ? RETRY_SLOWLY_MICROS : RETRY_MICROS);
  }

  /** One sentence for people. */
  public String text(long nowMicros) {
    return "the control log has not taken %s of epoch %d for %d s (%d tries), it is tried again: %s"
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

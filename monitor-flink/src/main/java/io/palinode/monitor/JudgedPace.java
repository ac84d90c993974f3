package io.palinode.monitor;

import io.palinode.hvc.Hlc;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;

/**
 * When to say how far judgement has come: at most once a period, and never later than a period
 * after it has moved. Times are milliseconds of any clock that does not go back. Not thread-safe.
 *
 * <p>Idle nodes tell their progress at the same moments, so the watermark takes small steps there,
 * and then a long one. While nothing happened for a while, a small step waits for the long one.
 *
 * <p>A hold at h says that an event at h cannot be judged yet: until it is released, judgement has
 * not come to h.
 */
public final class JudgedPace {
  /** Nothing to say now. */
  public static final long NOTHING = Long.MIN_VALUE;

  private static final long HURRY_MS = 1_000;
  private static final long MICROS_PER_MS = 1_000;

  private final long periodMs;
  private final TreeMap<Long, Integer> holds = new TreeMap<>();
  private long watermark = NOTHING;
  private long said = NOTHING;
  private long periodOverMs = Long.MIN_VALUE;
  private long nextAtMs = Long.MIN_VALUE;

  /** Whether something has happened since {@link #due} was asked last. */
  private boolean stirred = true;

  private long hurryUntilMs = Long.MIN_VALUE;

  /** When the step that is not yet said began; {@link #NOTHING} when there is none. */
  private long stepSinceMs = NOTHING;

  public JudgedPace(long periodMs) {
    if (periodMs < 1) {
      throw new IllegalArgumentException("periodMs must be at least 1: periodMs=" + periodMs);
    }
    this.periodMs = periodMs;
  }

  public void watermark(long hlc) {
    watermark = Math.max(watermark, hlc);
  }

  /** Something happened: somebody may soon wait for judgement. */
  public void stir() {
    stirred = true;
  }

  public void hold(long hlc) {
    stir();
    holds.merge(hlc, 1, Integer::sum);
  }

  /**
   * Ends one hold at {@code hlc}; one that is not known (of a time before a restart) is ignored.
   */
  public void release(long hlc) {
    stir();
    holds.computeIfPresent(hlc, (at, count) -> count == 1 ? null : count - 1);
  }

  /** The holds, each as often as it was placed: kept in checkpoints. */
  public List<Long> holds() {
    List<Long> all = new ArrayList<>();
    holds.forEach((hlc, count) -> all.addAll(Collections.nCopies(count, hlc)));
    return all;
  }

  /** What is to be said at {@code nowMs}, which then counts as said; else {@link #NOTHING}. */
  public long due(long nowMs) {
    if (stirred) {
      stirred = false;
      hurryUntilMs = nowMs + HURRY_MS;
    }
    if (!isPending()) {
      return NOTHING;
    }
    if (stepSinceMs == NOTHING) {
      stepSinceMs = nowMs;
    }
    boolean mayWait = isSmallStep() && nowMs >= hurryUntilMs;
    nextAtMs = mayWait ? Math.max(periodOverMs, stepSinceMs + periodMs) : periodOverMs;
    if (nowMs < nextAtMs) {
      return NOTHING;
    }
    said = judged();
    periodOverMs = nowMs + periodMs;
    stepSinceMs = NOTHING;
    return said;
  }

  /** What was said last; {@link #NOTHING} before that. */
  public long said() {
    return said;
  }

  /** The least hold; {@link #NOTHING} without one. */
  public long heldAt() {
    return holds.isEmpty() ? NOTHING : holds.firstKey();
  }

  /** Whether there is something to say, now or once the period is over. */
  public boolean isPending() {
    return judged() > said;
  }

  /** When what is pending has to be said, if nothing else comes. */
  public long nextAtMs() {
    return nextAtMs;
  }

  private boolean isSmallStep() {
    return said != NOTHING && Hlc.micros(judged()) - Hlc.micros(said) < periodMs * MICROS_PER_MS;
  }

  private long judged() {
    return holds.isEmpty() ? watermark : Math.min(watermark, holds.firstKey() - 1);
  }
}

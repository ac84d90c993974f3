package io.palinode.monitor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;

/**
 * When to say how far judgement has come: at most once a period, and never later than a period
 * after it has moved. Times are milliseconds of any clock that does not go back. Not thread-safe.
 *
 * <p>A hold at h says that an event at h cannot be judged yet: until it is released, judgement has
 * not come to h.
 */
public final class JudgedPace {
  /** Nothing to say now. */
  public static final long NOTHING = Long.MIN_VALUE;

  private final long periodMs;
  private final TreeMap<Long, Integer> holds = new TreeMap<>();
  private long watermark = NOTHING;
  private long said = NOTHING;
  private long nextAtMs = Long.MIN_VALUE;

  public JudgedPace(long periodMs) {
    if (periodMs < 1) {
      throw new IllegalArgumentException("periodMs must be at least 1: periodMs=" + periodMs);
    }
    this.periodMs = periodMs;
  }

  public void watermark(long hlc) {
    watermark = Math.max(watermark, hlc);
  }

  public void hold(long hlc) {
    holds.merge(hlc, 1, Integer::sum);
  }

  /**
   * Ends one hold at {@code hlc}; one that is not known (of a time before a restart) is ignored.
   */
  public void release(long hlc) {
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
    if (!isPending() || nowMs < nextAtMs) {
      return NOTHING;
    }
    said = judged();
    nextAtMs = nowMs + periodMs;
    return said;
  }

  /** Whether there is something to say, now or once the period is over. */
  public boolean isPending() {
    return judged() > said;
  }

  /** When the period is over. */
  public long nextAtMs() {
    return nextAtMs;
  }

  private long judged() {
    return holds.isEmpty() ? watermark : Math.min(watermark, holds.firstKey() - 1);
  }
}

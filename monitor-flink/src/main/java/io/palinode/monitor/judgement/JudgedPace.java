package io.palinode.monitor.judgement;

import io.palinode.hvc.Hlc;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;

/**
 * Decides when to publish {@code Judged}: at most once per period, and at most one period after the
 * value grew. Until an awaited HLC is published, the period is short. Times are milliseconds of any
 * clock that does not go back. Not thread-safe.
 *
 * <p>Idle nodes publish their progress at about the same time. The watermark then moves in small
 * steps, followed by a long one. A small step waits for the long one, unless an HLC is awaited.
 *
 * <p>A hold at h means that an event at h cannot be judged yet. Until it is released, the judged
 * HLC stays before h.
 */
public final class JudgedPace {
  /** No HLC: nothing is due. */
  public static final long NOTHING = Long.MIN_VALUE;

  private static final long MICROS_PER_MS = 1_000;

  /** Before any time of a clock, and far from an overflow. */
  private static final long NEVER_MS = Long.MIN_VALUE / 2;

  private final long hurriedMs;
  private final long periodMs;
  private final TreeMap<Long, Integer> holds = new TreeMap<>();
  private long watermark = NOTHING;
  private long published = NOTHING;
  private long publishedAtMs = NEVER_MS;
  private long nextAtMs = Long.MIN_VALUE;
  private long awaited = NOTHING;

  /** When the step that is not published yet began; {@link #NOTHING} without one. */
  private long stepSinceMs = NOTHING;

  /**
   * @param hurriedMs the period until an awaited HLC is published
   * @param periodMs the period otherwise
   */
  public JudgedPace(long hurriedMs, long periodMs) {
    if (hurriedMs < 1 || periodMs < hurriedMs) {
      throw new IllegalArgumentException(
          "a pace must be 1 <= hurriedMs <= periodMs: hurriedMs="
              + hurriedMs
              + " periodMs="
              + periodMs);
    }
    this.hurriedMs = hurriedMs;
    this.periodMs = periodMs;
  }

  public void watermark(long hlc) {
    watermark = Math.max(watermark, hlc);
  }

  /** Records that a plan may wait until {@code hlc} is judged. */
  public void await(long hlc) {
    awaited = Math.max(awaited, hlc);
  }

  public void hold(long hlc) {
    await(hlc);
    holds.merge(hlc, 1, Integer::sum);
  }

  /** Ends one hold at {@code hlc}. Ignores an unknown hold, which is from before a restart. */
  public void release(long hlc) {
    holds.computeIfPresent(hlc, (at, count) -> count == 1 ? null : count - 1);
  }

  /** Returns all holds, each as often as it was placed, for a checkpoint. */
  public List<Long> holds() {
    List<Long> all = new ArrayList<>();
    holds.forEach((hlc, count) -> all.addAll(Collections.nCopies(count, hlc)));
    return all;
  }

  /**
   * Returns the HLC to publish at {@code nowMs} and counts it as published; else {@link #NOTHING}.
   */
  public long due(long nowMs) {
    if (!isPending()) {
      return NOTHING;
    }
    if (stepSinceMs == NOTHING) {
      stepSinceMs = nowMs;
    }
    nextAtMs = published < awaited ? publishedAtMs + hurriedMs : nextAtLeisureMs();
    if (nowMs < nextAtMs) {
      return NOTHING;
    }
    published = judged();
    publishedAtMs = nowMs;
    stepSinceMs = NOTHING;
    return published;
  }

  /** Returns the HLC published last; {@link #NOTHING} before the first. */
  public long published() {
    return published;
  }

  /** Returns the least hold; {@link #NOTHING} without one. */
  public long heldAt() {
    return holds.isEmpty() ? NOTHING : holds.firstKey();
  }

  /** Returns whether an HLC is due now or at the end of the period. */
  public boolean isPending() {
    return judged() > published;
  }

  /** Returns when the pending HLC is due if no further input arrives. */
  public long nextAtMs() {
    return nextAtMs;
  }

  private long nextAtLeisureMs() {
    long nextMs = publishedAtMs + periodMs;
    return isSmallStep() ? Math.max(nextMs, stepSinceMs + hurriedMs) : nextMs;
  }

  private boolean isSmallStep() {
    return published != NOTHING
        && Hlc.micros(judged()) - Hlc.micros(published) < hurriedMs * MICROS_PER_MS;
  }

  private long judged() {
    return holds.isEmpty() ? watermark : Math.min(watermark, holds.firstKey() - 1);
  }
}

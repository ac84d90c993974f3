package io.palinode.monitor.instance;

import io.palinode.hvc.Hlc;

/**
 * The times at which an idle instance is checked. The check drops an instance that a rollback or a
 * change of its predicate made stale, and packs it otherwise. Each key has a phase, which spreads
 * the checks over the period.
 */
public final class Housekeeping {
  private static final int PHASES = 10_000;
  private static final long PERIOD_MICROS = 10_000_000;
  private static final long PERIOD = Hlc.ofMicros(PERIOD_MICROS);

  private Housekeeping() {}

  /**
   * Returns an HLC one to two periods of 10 s after {@code hlc}. Equal for all times in between.
   */
  public static long next(String key, long hlc) {
    long phase = phase(key);
    return (Math.floorDiv(hlc - phase, PERIOD) + 2) * PERIOD + phase;
  }

  /** Returns whether {@link #next} returns {@code hlc} for this key. */
  public static boolean isDue(String key, long hlc) {
    return Math.floorMod(hlc - phase(key), PERIOD) == 0;
  }

  private static long phase(String key) {
    return Math.floorMod(key.hashCode(), PHASES) * (PERIOD / PHASES);
  }
}

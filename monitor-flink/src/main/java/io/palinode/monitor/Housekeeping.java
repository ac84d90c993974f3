package io.palinode.monitor;

import io.palinode.hvc.Hlc;

/**
 * When the state of an instance is looked at although nothing happens to it, to drop it once a
 * rollback or a change of its predicate has made it stale, and to pack it. Each key has its own
 * phase, or all would be looked at in the same instant.
 */
public final class Housekeeping {
  private static final int PHASES = 10_000;
  private static final long PERIOD_MICROS = 10_000_000;
  private static final long PERIOD = Hlc.ofMicros(PERIOD_MICROS);

  private Housekeeping() {}

  /** An HLC one to two periods of 10 s after {@code hlc}; the same for all times in between. */
  public static long next(String key, long hlc) {
    long phase = phase(key);
    return (Math.floorDiv(hlc - phase, PERIOD) + 2) * PERIOD + phase;
  }

  /** Whether {@code hlc} is a time that {@link #next} gives for this key. */
  public static boolean isDue(String key, long hlc) {
    return Math.floorMod(hlc - phase(key), PERIOD) == 0;
  }

  private static long phase(String key) {
    return Math.floorMod(key.hashCode(), PHASES) * (PERIOD / PHASES);
  }
}

package io.palinode.monitor;

/**
 * A node's time at a record.
 *
 * @param hlc the node's own HLC
 * @param clock the node's encoded HVC; empty for a gap
 */
public record Stamp(long hlc, byte[] clock) {
  private static final byte[] NO_CLOCK = {};

  /** Before any record. */
  public static final Stamp NONE = withoutClock(0);

  static Stamp withoutClock(long hlc) {
    return new Stamp(hlc, NO_CLOCK);
  }

  public boolean hasClock() {
    return clock.length > 0;
  }
}

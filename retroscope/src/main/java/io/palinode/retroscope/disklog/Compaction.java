package io.palinode.retroscope.disklog;

import io.palinode.hvc.Hlc;
import java.time.Duration;

/**
 * How a window-log on disk is thinned out with age: of each key, one entry is left for each stretch
 * of time in which it changed. So it reaches further back with the same bytes, but only to the
 * multiples of {@code granularity} since the Unix epoch.
 *
 * @param after what is younger is left as it is
 */
public record Compaction(Duration after, Duration granularity) {
  public static final Duration GRANULARITY_MIN = Duration.ofMillis(1);

  public Compaction {
    if (granularity.compareTo(GRANULARITY_MIN) < 0 || after.compareTo(granularity) < 0) {
      throw new IllegalArgumentException(
          "a granularity must be at least 1 ms, and no longer than what is left alone: granularity=%s after=%s"
              .formatted(granularity, after));
    }
  }

  /** The length of a time as a difference of two HLCs. */
  public static long hlc(Duration age) {
    return Hlc.ofMicros(
        age.toSeconds() >= Hlc.MICROS_MAX / 1_000_000
            ? Hlc.MICROS_MAX
            : Math.min(Hlc.MICROS_MAX, age.toNanos() / 1_000));
  }

  long granuleMicros() {
    return granularity.toNanos() / 1_000;
  }

  /** The last time at or before {@code hlc} that is a multiple. */
  public static long floor(long hlc, long granuleHlc) {
    return hlc - hlc % granuleHlc;
  }

  /**
   * Which stretch a change is in: times at both its ends can be reached, so its first change leads
   * to the one, and the next stretch's to the other.
   */
  static long stretch(long hlc, long granuleHlc) {
    return (hlc - 1) / granuleHlc;
  }

  long afterHlc() {
    return hlc(after);
  }

  long granuleHlc() {
    return Hlc.ofMicros(granuleMicros());
  }
}

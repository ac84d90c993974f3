package io.palinode.retroscope;

import java.time.Duration;

/**
 * The bounds of a window-log on disk; whichever comes first.
 *
 * @param freeBytesMin so much of the volume is left to others: with less, the log gives back files
 */
public record DiskBound(Duration ageMax, long bytesMax, long freeBytesMin) {
  public static final long FREE_BYTES_MIN_DEFAULT = 1L << 30;

  public DiskBound {
    if (ageMax.isNegative() || ageMax.isZero() || bytesMax <= 0 || freeBytesMin < 0) {
      throw new IllegalArgumentException(
          "a window-log on disk needs positive bounds, and free bytes of 0 or more: ageMax=%s bytesMax=%d freeBytesMin=%d"
              .formatted(ageMax, bytesMax, freeBytesMin));
    }
  }
}

package io.palinode.retroscope.disklog;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of a window-log on disk; whichever comes first.
 *
 * @param freeBytesMin so much of the volume is left to others: with less, the log gives back files
 * @param compaction of what is old; null: none, every time stays in reach as long as any
 */
public record DiskBound(
    Duration ageMax, long bytesMax, long freeBytesMin, @Nullable Compaction compaction) {
  public static final long FREE_BYTES_MIN_DEFAULT = 1L << 30;

  public DiskBound(Duration ageMax, long bytesMax, long freeBytesMin) {
    this(ageMax, bytesMax, freeBytesMin, null);
  }

  public DiskBound {
    if (ageMax.isNegative() || ageMax.isZero() || bytesMax <= 0 || freeBytesMin < 0) {
      throw new IllegalArgumentException(
          "a window-log on disk needs positive bounds, and free bytes of 0 or more: ageMax=%s bytesMax=%d freeBytesMin=%d"
              .formatted(ageMax, bytesMax, freeBytesMin));
    }
  }
}

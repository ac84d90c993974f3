package io.palinode.retroscope;

import java.time.Duration;

/** The bounds of a window-log; whichever comes first. */
public record WindowLogConfig(Duration ageMax, long bytesMax) {
  public static final WindowLogConfig DEFAULT =
      new WindowLogConfig(Duration.ofMinutes(10), 256L << 20);

  public WindowLogConfig {
    if (ageMax.isNegative() || ageMax.isZero() || bytesMax <= 0) {
      throw new IllegalArgumentException(
          "a window-log needs positive bounds: ageMax=" + ageMax + " bytesMax=" + bytesMax);
    }
  }
}

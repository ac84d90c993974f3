package io.palinode.terminal;

/** How long ago a time was, for a person. */
public final class Age {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Age() {}

  /**
   * {@code 3 min ago}, {@code in 3 min} for a later time, or {@code now} within a second of it. In
   * whole {@code s}, {@code min}, {@code h} or {@code d}, rounded down.
   *
   * @param micros since the Unix epoch, as {@code nowMicros}
   */
  public static String of(long micros, long nowMicros) {
    long seconds = (nowMicros - micros) / MICROS_PER_SECOND;
    if (seconds == 0) {
      return "now";
    }
    return seconds > 0 ? length(seconds) + " ago" : "in " + length(-seconds);
  }

  /** {@code 12 ms} below a second, else as {@link #of} without its last word. Never negative. */
  public static String between(long micros, long laterMicros) {
    long length = Math.max(0, laterMicros - micros);
    return length < MICROS_PER_SECOND ? length / 1_000 + " ms" : length(length / MICROS_PER_SECOND);
  }

  private static String length(long seconds) {
    if (seconds < MINUTE) {
      return seconds + " s";
    }
    if (seconds < HOUR) {
      return seconds / MINUTE + " min";
    }
    return seconds < 2 * DAY ? seconds / HOUR + " h" : seconds / DAY + " d";
  }
}

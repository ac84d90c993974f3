package io.palinode.hvc;

/**
 * Hybrid logical timestamps, one {@code long} each, compared as numbers.
 *
 * <pre>
 *  63                                    12 11            0
 * +----------------------------------------+---------------+
 * | microseconds since the Unix epoch (52) | counter (12)  |
 * +----------------------------------------+---------------+
 * </pre>
 *
 * A counter that overflows carries into the microseconds, so {@code timestamp + 1} is always the
 * next timestamp. (Kulkarni et al., "Logical Physical Clocks", OPODIS 2014, §3; here with one
 * packed word.)
 */
public final class Hlc {
  public static final int COUNTER_BITS = 12;
  public static final int COUNTER_MAX = (1 << COUNTER_BITS) - 1;
  public static final long MICROS_MAX = Long.MAX_VALUE >> COUNTER_BITS;

  private Hlc() {}

  public static long of(long micros, int counter) {
    if (micros < 0 || micros > MICROS_MAX) {
      throw new IllegalArgumentException(
          "micros must be in [0, " + MICROS_MAX + "]: micros=" + micros);
    }
    if (counter < 0 || counter > COUNTER_MAX) {
      throw new IllegalArgumentException(
          "counter must be in [0, " + COUNTER_MAX + "]: counter=" + counter);
    }
    return (micros << COUNTER_BITS) | counter;
  }

  public static long ofMicros(long micros) {
    return of(micros, 0);
  }

  /** The physical part, in microseconds since the Unix epoch. */
  public static long micros(long hlc) {
    return hlc >>> COUNTER_BITS;
  }

  public static int counter(long hlc) {
    return (int) (hlc & COUNTER_MAX);
  }

  /**
   * The timestamp of a local or send event: greater than {@code last}, and not behind {@code
   * nowMicros}.
   */
  public static long tick(long last, long nowMicros) {
    return Math.max(last + 1, ofMicros(nowMicros));
  }

  /**
   * The timestamp of a receive event: greater than {@code last} and {@code received}, and not
   * behind {@code nowMicros}.
   */
  public static long tick(long last, long nowMicros, long received) {
    return Math.max(Math.max(last, received) + 1, ofMicros(nowMicros));
  }

  /** {@code <µs>} or {@code <µs>.<counter>}. */
  public static String format(long hlc) {
    return counter(hlc) == 0 ? Long.toString(micros(hlc)) : micros(hlc) + "." + counter(hlc);
  }

  /**
   * The inverse of {@link #format}. Throws {@link IllegalArgumentException} that names the text.
   */
  public static long parse(String text) {
    int dot = text.indexOf('.');
    try {
      return dot < 0
          ? ofMicros(Long.parseLong(text))
          : of(Long.parseLong(text.substring(0, dot)), Integer.parseInt(text.substring(dot + 1)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a timestamp must be <microseconds> or <microseconds>.<counter in [0, "
              + COUNTER_MAX
              + "]>: '"
              + text
              + "'",
          e);
    }
  }
}

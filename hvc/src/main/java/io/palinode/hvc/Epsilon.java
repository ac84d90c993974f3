package io.palinode.hvc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bound on the difference between any two physical clocks of a cluster, in microseconds; or
 * none (∞).
 */
public record Epsilon(long micros) {
  /** No bound is assumed: an HVC is then a plain vector clock. */
  public static final Epsilon INFINITE = new Epsilon(Long.MAX_VALUE);

  private static final Pattern TEXT = Pattern.compile("(\\d{1,19})\\s*(us|µs|ms|s)");

  public Epsilon {
    if (micros < 0) {
      throw new IllegalArgumentException("epsilon must not be negative: micros=" + micros);
    }
  }

  public static Epsilon ofMicros(long micros) {
    return new Epsilon(micros);
  }

  public boolean isInfinite() {
    return micros == Long.MAX_VALUE;
  }

  /**
   * {@code 10ms}, {@code 500us}, {@code 1s}, {@code 0} or {@code inf}. Throws {@link
   * IllegalArgumentException} that names the text.
   */
  public static Epsilon parse(String text) {
    if (text.equals("inf")) {
      return INFINITE;
    }
    if (text.equals("0")) {
      return new Epsilon(0);
    }
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "epsilon must be like 10ms, 500us, 1s, 0 or inf: '" + text + "'");
    }
    long factor =
        switch (matcher.group(2)) {
          case "ms" -> 1_000;
          case "s" -> 1_000_000;
          default -> 1;
        };
    try {
      return new Epsilon(Math.multiplyExact(Long.parseLong(matcher.group(1)), factor));
    } catch (ArithmeticException | NumberFormatException tooGreat) {
      throw new IllegalArgumentException(
          "epsilon must be below 2^63 microseconds, or inf: '" + text + "'", tooGreat);
    }
  }

  /** The inverse of {@link #parse}. */
  @Override
  public String toString() {
    if (isInfinite()) {
      return "inf";
    }
    return micros % 1_000 == 0 && micros > 0
        ? micros / 1_000 + "ms"
        : micros == 0 ? "0" : micros + "us";
  }
}

package io.palinode.predicate.template;

import io.palinode.predicate.text.Abridged;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A decimal number of a bounded size, so that comparing two is always cheap. Equal by its digits
 * and scale, as a {@link BigDecimal}: {@code 1.0} is not {@code 1.00}, though neither is below the
 * other.
 */
public record Decimal(BigDecimal value) implements Comparable<Decimal> {
  /** Significant digits. */
  public static final int DIGITS_MAX = 100;

  /** Of the number in scientific notation, above and below zero. */
  public static final int EXPONENT_MAX = 999;

  /** Without surrounding white space. */
  public static final int CHARACTERS_MAX = 128;

  private static final int EXPONENT_DIGITS_MAX = 4;

  public Decimal {
    if (!isInBounds(value)) {
      throw new IllegalArgumentException(rule() + ": precision=" + value.precision());
    }
  }

  /** Throws {@link IllegalArgumentException} that names the text. */
  public static Decimal parse(String text) {
    Decimal read = read(text);
    if (read == null) {
      throw new IllegalArgumentException(rule() + ": '" + Abridged.of(text) + "'");
    }
    return read;
  }

  /**
   * The number that {@code text} is, or null when it is none or out of bounds. Surrounding white
   * space is passed over. Never throws; O(length) and cheap, for values come from anyone.
   */
  public static @Nullable Decimal read(String text) {
    String number = text.strip();
    if (number.length() > CHARACTERS_MAX || !isNumber(number)) {
      return null;
    }
    BigDecimal value = new BigDecimal(number);
    return isInBounds(value) ? new Decimal(value) : null;
  }

  @Override
  public int compareTo(Decimal other) {
    return value.compareTo(other.value);
  }

  /** Text that {@link #parse} reads as an equal decimal. */
  @Override
  public String toString() {
    return value.toString();
  }

  private static boolean isInBounds(BigDecimal value) {
    long exponent = (long) value.precision() - value.scale() - 1;
    return value.precision() <= DIGITS_MAX && Math.abs(exponent) <= EXPONENT_MAX;
  }

  /** A sign, digits with a point before, among or after them, and an exponent of few digits. */
  private static boolean isNumber(String text) {
    int at = afterSign(text, 0);
    int point = afterDigits(text, at);
    int end = text.startsWith(".", point) ? afterDigits(text, point + 1) : point;
    int digits = end - at - (end > point ? 1 : 0);
    if (digits == 0 || end == text.length()) {
      return digits > 0;
    }
    if (text.charAt(end) != 'e' && text.charAt(end) != 'E') {
      return false;
    }
    int exponent = afterSign(text, end + 1);
    int length = text.length() - exponent;
    return afterDigits(text, exponent) == text.length()
        && length >= 1
        && length <= EXPONENT_DIGITS_MAX;
  }

  private static int afterSign(String text, int at) {
    return text.startsWith("-", at) || text.startsWith("+", at) ? at + 1 : at;
  }

  private static int afterDigits(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at;
  }

  private static String rule() {
    return "a decimal must be a number like -12.5 or 1e3 with at most "
        + DIGITS_MAX
        + " digits and an exponent within "
        + EXPONENT_MAX;
  }
}

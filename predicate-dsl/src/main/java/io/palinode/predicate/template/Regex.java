package io.palinode.predicate.template;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.concurrent.atomic.LongAdder;

/**
 * A regular expression in the syntax of RE2, which has no back references and no look-around, and
 * in return matches in time linear in the text.
 *
 * <p>Equal by text. Thread-safe. Immutable except the counter {@link #gaveUp}.
 */
public final class Regex {
  public static final int LENGTH_MAX = Template.LENGTH_MAX;

  /** Of the compiled expression; each character of a text visits at most all of them. */
  public static final int INSTRUCTIONS_MAX = 1_000;

  /**
   * Instructions times characters: a text with which there are more is not looked at. So many take
   * some milliseconds at worst, and the store's writers wait for them.
   */
  public static final int STEPS_MAX = 200_000;

  private final String text;
  private final Pattern pattern;
  private final LongAdder gaveUp = new LongAdder();

  private Regex(String text, Pattern pattern) {
    this.text = text;
    this.pattern = pattern;
  }

  /** Throws {@link IllegalArgumentException} that names the place in the text. */
  public static Regex parse(String text) {
    if (text.length() > LENGTH_MAX) {
      throw new IllegalArgumentException(
          "a regular expression must have at most "
              + LENGTH_MAX
              + " characters: characters="
              + text.length());
    }
    WritableText.require("a regular expression", text);
    requireInstructions(RegexSize.estimate(text), RegexSize.SLACK * INSTRUCTIONS_MAX, text);
    Pattern pattern = compile(text);
    requireInstructions(pattern.programSize(), INSTRUCTIONS_MAX, text);
    return new Regex(text, pattern);
  }

  /**
   * Whether all of {@code candidate} matches. False too when it is so long that finding out would
   * take more than {@link #STEPS_MAX} steps, which is counted.
   */
  public boolean matches(String candidate) {
    if ((long) candidate.length() * pattern.programSize() > STEPS_MAX) {
      gaveUp.increment();
      return false;
    }
    return pattern.matches(candidate);
  }

  /** How many texts were called no match because of {@link #STEPS_MAX}. */
  public long gaveUp() {
    return gaveUp.sum();
  }

  /** The inverse of {@link #parse}. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Regex other && text.equals(other.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  private static Pattern compile(String text) {
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      String wrong = String.valueOf(e.getPattern());
      int at = Math.max(0, text.indexOf(wrong));
      throw new IllegalArgumentException(
          "a regular expression must be one of RE2, "
              + e.getDescription()
              + ": '"
              + wrong
              + "' at character "
              + (at + 1)
              + " of '"
              + text
              + "'",
          e);
    }
  }

  private static void requireInstructions(long instructions, long max, String text) {
    if (instructions > max) {
      throw new IllegalArgumentException(
          "a regular expression must compile to at most "
              + INSTRUCTIONS_MAX
              + " instructions, its repetitions make more: '"
              + text
              + "'");
    }
  }
}

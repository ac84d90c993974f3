package io.palinode.predicate.template;

/**
 * Text that both forms can hold: Unicode without unpaired surrogates, and of the control characters
 * only tab, line feed, carriage return and those above U+007E (XML 1.0, §2.2).
 */
public final class WritableText {
  private WritableText() {}

  /** Throws {@link IllegalArgumentException} that names the character and its place. */
  public static void require(String what, String text) {
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      if (!isWritable(c)) {
        throw new IllegalArgumentException(
            String.format(
                "%s must hold only characters that XML 1.0 allows: U+%04X, character %d",
                what, c, i + 1));
      }
    }
  }

  private static boolean isWritable(int c) {
    return (c >= 0x20 && c <= 0xD7FF)
        || c == '\t'
        || c == '\n'
        || c == '\r'
        || (c >= 0xE000 && c <= 0xFFFD)
        || c >= 0x10000;
  }
}

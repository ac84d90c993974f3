package io.palinode.predicate.text;

/**
 * Cuts what a message echoes, since a value may have megabytes. A control character is shown as its
 * code: it may move the cursor of a terminal, or end the line.
 */
public final class Abridged {
  static final int CHARACTERS_MAX = 128;

  private Abridged() {}

  /** {@code text}, or its start and {@code …}. */
  public static String of(String text) {
    return atMost(CHARACTERS_MAX, text);
  }

  /** {@code text}, or that many characters of it and {@code …}. */
  public static String atMost(int charactersMax, String text) {
    return visible(text.length() <= charactersMax ? text : text.substring(0, charactersMax) + "…");
  }

  private static String visible(String text) {
    if (text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    StringBuilder visible = new StringBuilder();
    text.chars()
        .forEach(
            each -> {
              if (Character.isISOControl(each)) {
                visible.append("\\u%04x".formatted(each));
              } else {
                visible.append((char) each);
              }
            });
    return visible.toString();
  }
}

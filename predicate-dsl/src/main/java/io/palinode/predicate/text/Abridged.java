package io.palinode.predicate.text;

/** Cuts what a message echoes: a value may have megabytes. */
public final class Abridged {
  static final int CHARACTERS_MAX = 128;

  private Abridged() {}

  /** {@code text}, or its start and {@code …}. */
  public static String of(String text) {
    return atMost(CHARACTERS_MAX, text);
  }

  /** {@code text}, or that many characters of it and {@code …}. */
  public static String atMost(int charactersMax, String text) {
    return text.length() <= charactersMax ? text : text.substring(0, charactersMax) + "…";
  }
}

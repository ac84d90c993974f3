package io.palinode.predicate.text;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The words of the language, which are the names of enum constants: {@code before-violation}. */
public final class Word {
  private Word() {}

  /** {@code BEFORE_VIOLATION} is written {@code before-violation}. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The constant that {@code text} names; {@code field} names the place to fill in errors. */
  public static <E extends Enum<E>> E read(String field, Text text, Class<E> type) {
    E[] constants = type.getEnumConstants();
    List<String> words = Arrays.stream(constants).map(Word::of).toList();
    requireOneOf(field, text, words, Set.of());
    return constants[words.indexOf(text.value().strip())];
  }

  /** Refuses a word that is not one of {@code words}; the error names a planned word as such. */
  public static void requireOneOf(
      String field, Text text, List<String> words, Set<String> planned) {
    String word = text.value().strip();
    if (planned.contains(word)) {
      throw text.refusal(
          field + " '" + word + "' is not supported yet; supported: " + String.join(", ", words));
    }
    if (!words.contains(word)) {
      String rule = words.size() == 1 ? " must be " : " must be one of ";
      throw text.refusal(
          field
              + rule
              + String.join(", ", words)
              + ": '"
              + word
              + "'"
              + Spelling.hint(word, words));
    }
  }
}

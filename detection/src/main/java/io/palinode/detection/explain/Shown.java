package io.palinode.detection.explain;

import java.util.List;
import java.util.regex.Pattern;

/** Texts of predicates as a terminal can show them: short, on one line, without control codes. */
final class Shown {
  private static final int CHARACTERS_MAX = 60;
  private static final int ITEMS_MAX = 3;
  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}\\p{P}\\p{S}&&[^\"]]+");

  private Shown() {}

  /** In quotes only where something in it would not be seen. */
  static String key(String text) {
    return PLAIN.matcher(text).matches() ? shortened(text) : quoted(text);
  }

  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder();
    text.codePoints().forEach(c -> appendEscaped(quoted, c));
    return '"' + shortened(quoted.toString()) + '"';
  }

  /** The first few. */
  static String some(List<String> items) {
    List<String> first = items.subList(0, Math.min(ITEMS_MAX, items.size()));
    int more = items.size() - first.size();
    return String.join(", ", first) + (more == 0 ? "" : " and " + number(more) + " more");
  }

  /** {@code 1 clause}, {@code 78 clauses}. */
  static String count(long count, String noun) {
    return number(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** {@code 100,000}. */
  static String number(long number) {
    return String.format(java.util.Locale.ROOT, "%,d", number);
  }

  private static void appendEscaped(StringBuilder out, int c) {
    int type = Character.getType(c);
    boolean unseen =
        type == Character.CONTROL
            || type == Character.FORMAT
            || type == Character.LINE_SEPARATOR
            || type == Character.PARAGRAPH_SEPARATOR;
    if (unseen) {
      out.append(String.format("\\u%04x", c));
    } else {
      out.append(c == '"' ? "\\" : "").appendCodePoint(c);
    }
  }

  private static String shortened(String text) {
    return text.codePointCount(0, text.length()) <= CHARACTERS_MAX
        ? text
        : text.substring(0, text.offsetByCodePoints(0, CHARACTERS_MAX - 3)) + "...";
  }
}

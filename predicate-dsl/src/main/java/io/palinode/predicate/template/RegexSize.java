package io.palinode.predicate.template;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Estimates the compiled size of a regular expression before it is compiled. The compiler writes
 * counted repetitions out, and nested ones multiply: {@code ((a{1000}){1000}){1000}} would fill the
 * memory.
 *
 * <p>An upper bound, except for a few instructions. For usual expressions it is less than {@link
 * #SLACK} times too high. It takes the text apart as the parser does; what the parser refuses it
 * may estimate at anything.
 */
final class RegexSize {
  static final int SLACK = 4;

  private static final long SIZE_MAX = Integer.MAX_VALUE;

  private final String text;
  private final Deque<Long> outer = new ArrayDeque<>();
  private int at;

  /** Of the group being read, without {@link #last}. */
  private long group;

  /** Of the atom read last, which a repetition would repeat. */
  private long last;

  private RegexSize(String text) {
    this.text = text;
  }

  static long estimate(String text) {
    RegexSize size = new RegexSize(text);
    while (size.at < text.length()) {
      size.next();
    }
    // A group that is never closed is refused by the parser.
    return Math.min(SIZE_MAX, size.group + size.last);
  }

  private void next() {
    switch (text.charAt(at)) {
      case '\\' -> escape();
      case '[' -> atom(afterClass());
      case '(' -> open();
      case ')' -> close();
      case '{' -> repetition();
      case '*', '+', '?' -> {
        last++;
        at++;
      }
      default -> atom(at + 1);
    }
  }

  private void atom(int end) {
    group = Math.min(SIZE_MAX, group + last);
    last = 1;
    at = end;
  }

  private void open() {
    int flagsEnd = flagsEnd();
    if (flagsEnd > 0) {
      // No atom: a repetition after it repeats what stands before it.
      at = flagsEnd;
      return;
    }
    atom(at + 1);
    outer.push(group);
    group = 0;
  }

  /** The end of a group that only sets flags, as {@code (?i)}, or 0. */
  private int flagsEnd() {
    int end = text.startsWith("(?", at) ? text.indexOf(')', at) : -1;
    String flags = end < 0 ? "" : text.substring(at + 2, end);
    return end >= 0 && flags.chars().allMatch(c -> c == '-' || Character.isLetter(c)) ? end + 1 : 0;
  }

  /** The group becomes an atom of the one around it. */
  private void close() {
    last = Math.min(SIZE_MAX, group + last + 1);
    group = outer.isEmpty() ? 0 : outer.pop();
    at++;
  }

  private void escape() {
    String escaped = at + 1 < text.length() ? text.substring(at + 1, at + 2) : "";
    if (escaped.equals("Q")) {
      int end = text.indexOf("\\E", at);
      quoted(end < 0 ? text.length() : end);
      at = end < 0 ? text.length() : end + 2;
    } else {
      boolean braced = "xpP".contains(escaped) && text.startsWith("{", at + 2);
      int close = braced ? text.indexOf('}', at) : -1;
      atom(Math.min(text.length(), close < 0 ? at + 2 : close + 1));
    }
  }

  /** As flags, an empty quotation is no atom. */
  private void quoted(int end) {
    int length = end - at - 2;
    if (length > 0) {
      group += length;
      atom(end);
    }
  }

  /** A bracket right after the opening one is itself in the class. */
  private int afterClass() {
    int i = at + (text.startsWith("^", at + 1) ? 2 : 1);
    i += text.startsWith("]", i) ? 1 : 0;
    while (i < text.length() && text.charAt(i) != ']') {
      int named = text.startsWith("[:", i) ? text.indexOf(":]", i + 2) : -1;
      if (named >= 0) {
        i = named + 2;
      } else {
        i += text.charAt(i) == '\\' ? 2 : 1;
      }
    }
    return Math.min(text.length(), i + 1);
  }

  /** Braces that hold no counts are literals. */
  private void repetition() {
    int close = text.indexOf('}', at);
    long copies = close < 0 ? 0 : copies(text.substring(at + 1, close));
    if (copies == 0) {
      atom(at + 1);
    } else {
      last = Math.min(SIZE_MAX, (last + 1) * copies);
      at = close + 1;
    }
  }

  /** 0 when the text is no {@code n}, {@code n,} or {@code n,m} that the parser would take. */
  private static long copies(String counts) {
    int comma = counts.indexOf(',');
    String least = comma < 0 ? counts : counts.substring(0, comma);
    String most = comma < 0 ? "" : counts.substring(comma + 1);
    if (!isCount(least) || !(most.isEmpty() || isCount(most))) {
      return 0;
    }
    long copies = Math.max(Long.parseLong(least), most.isEmpty() ? 0 : Long.parseLong(most));
    return 1 + copies;
  }

  /** More than a thousand repetitions, four digits, are refused by the parser. */
  private static boolean isCount(String text) {
    return !text.isEmpty()
        && text.length() <= 9
        && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}

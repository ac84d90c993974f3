package io.palinode.terminal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Text in lines of a limited width. */
public final class Wrap {
  /**
   * The width that tables and reports keep to, if their parts allow it: that of the terminal, but
   * from 40 to 100. The script {@code palinode} sets {@code COLUMNS}.
   */
  public static final int COLUMNS = columns(System.getenv("COLUMNS"));

  private static final int COLUMNS_MIN = 40;
  private static final int COLUMNS_MAX = 100;

  private static final String SPACE = " ";

  /** Where a text without a space is broken: behind one of these. */
  private static final String MARKS = ",;-_=/";

  private Wrap() {}

  /** The greatest width for what is no positive number. */
  static int columns(@Nullable String terminal) {
    if (terminal == null || !terminal.matches("[1-9][0-9]{0,8}")) {
      return COLUMNS_MAX;
    }
    return Math.max(COLUMNS_MIN, Math.min(COLUMNS_MAX, Integer.parseInt(terminal)));
  }

  /** {@code name} and {@code text}; further lines are indented as far as the first is by name. */
  public static String paragraph(String name, String text) {
    String indent = SPACE.repeat(name.length());
    return name + String.join("\n" + indent, lines(text, COLUMNS - name.length()));
  }

  /**
   * {@code text} in lines of at most {@code width} characters, broken at a space, else behind a
   * comma, dash or the like, else where the line is full.
   */
  static List<String> lines(String text, int width) {
    List<String> lines = new ArrayList<>();
    String rest = text;
    while (rest.length() > width) {
      int end = end(rest, width);
      lines.add(rest.substring(0, end).stripTrailing());
      rest = rest.substring(end).stripLeading();
    }
    lines.add(rest);
    return lines;
  }

  private static int end(String text, int width) {
    int space = text.lastIndexOf(SPACE, width);
    if (space > 0) {
      return space;
    }
    for (int end = width; end > 0; end--) {
      if (MARKS.indexOf(text.charAt(end - 1)) >= 0) {
        return end;
      }
    }
    return width;
  }
}

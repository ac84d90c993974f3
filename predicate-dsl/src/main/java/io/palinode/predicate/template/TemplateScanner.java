package io.palinode.predicate.template;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Takes the text of a template apart: literals around names, one literal more than names. */
final class TemplateScanner {
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,63}");

  private final String text;
  private final List<String> literals = new ArrayList<>();
  private final List<String> names = new ArrayList<>();

  private TemplateScanner(String text) {
    this.text = text;
  }

  /** Throws {@link IllegalArgumentException} that names the text and the place. */
  static TemplateScanner scan(String text) {
    if (text.length() > Template.LENGTH_MAX) {
      throw new IllegalArgumentException(
          "a pattern must have at most "
              + Template.LENGTH_MAX
              + " characters: characters="
              + text.length());
    }
    WritableText.require("a pattern", text);
    TemplateScanner scanner = new TemplateScanner(text);
    scanner.scan();
    return scanner;
  }

  static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  List<String> literals() {
    return literals;
  }

  List<String> names() {
    return names;
  }

  private void scan() {
    StringBuilder literal = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean brace = c == '{' || c == '}';
      if (brace && at + 1 < text.length() && text.charAt(at + 1) == c) {
        literal.append(c);
        at += 2;
      } else if (c == '{') {
        at = capture(at, literal.toString());
        literal.setLength(0);
      } else if (c == '}') {
        throw refusal("a literal brace is doubled, this '}' closes nothing", at);
      } else {
        literal.append(c);
        at++;
      }
    }
    literals.add(literal.toString());
  }

  /** The position after the capture that opens at {@code open}. */
  private int capture(int open, String literalBefore) {
    int close = text.indexOf('}', open);
    if (close < 0) {
      throw refusal("a literal brace is doubled, this '{' is never closed", open);
    }
    String name = text.substring(open + 1, close);
    if (!isName(name)) {
      throw refusal(
          "a capture's name must be a letter and then up to 63 letters, digits or '_', not '"
              + name
              + "'",
          open);
    }
    if (!names.isEmpty() && literalBefore.isEmpty()) {
      String previous = names.get(names.size() - 1);
      throw refusal(
          "captures must have a literal between them, '" + previous + "' and '" + name + "' do not",
          open);
    }
    literals.add(literalBefore);
    names.add(name);
    return close + 1;
  }

  private IllegalArgumentException refusal(String rule, int at) {
    return new IllegalArgumentException(rule + ": character " + (at + 1) + " of '" + text + "'");
  }
}

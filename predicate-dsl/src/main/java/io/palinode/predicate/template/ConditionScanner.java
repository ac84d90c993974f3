package io.palinode.predicate.template;

import io.palinode.predicate.template.Condition.Capture;
import io.palinode.predicate.template.Condition.Constant;
import io.palinode.predicate.template.Condition.Operand;
import io.palinode.predicate.template.Condition.Operator;
import java.util.Arrays;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * Takes the text of a condition apart: operand, operator, operand, with white space between them as
 * one likes. An operand is a capture in braces, a bare word, or any text in single quotes, in which
 * a quote is doubled.
 */
final class ConditionScanner {
  private static final String SIGNS = "=!<>";

  /** How the operators are written elsewhere. */
  private static final Map<String, Operator> ELSEWHERE =
      Map.of(
          "==", Operator.EQUAL,
          "===", Operator.EQUAL,
          "<>", Operator.NOT_EQUAL,
          "!", Operator.NOT_EQUAL,
          "!==", Operator.NOT_EQUAL,
          "≠", Operator.NOT_EQUAL,
          "=<", Operator.AT_MOST,
          "≤", Operator.AT_MOST,
          "=>", Operator.AT_LEAST,
          "≥", Operator.AT_LEAST);

  private final String text;
  private int at;

  private ConditionScanner(String text) {
    this.text = text;
  }

  /** Throws {@link IllegalArgumentException} that names the text and the place. */
  static Condition scan(String text) {
    if (text.length() > Condition.LENGTH_MAX) {
      throw new IllegalArgumentException(
          "a condition must have at most "
              + Condition.LENGTH_MAX
              + " characters: characters="
              + text.length());
    }
    ConditionScanner scanner = new ConditionScanner(text);
    Operand left = scanner.operand();
    Operator operator = scanner.operator();
    Operand right = scanner.operand();
    scanner.skipSpace();
    if (scanner.at < text.length()) {
      throw scanner.refusal("a condition must end after its second operand", scanner.at);
    }
    return new Condition(left, operator, right);
  }

  /** Whether a constant is read as it is without quotes. */
  static boolean isBare(String constant) {
    return !constant.isEmpty() && constant.chars().allMatch(ConditionScanner::isBare);
  }

  private static boolean isBare(int c) {
    return !Character.isWhitespace(c) && !isSign(c) && c != '\'' && c != '{' && c != '}';
  }

  private static boolean isSign(int c) {
    return SIGNS.indexOf(c) >= 0;
  }

  private Operand operand() {
    skipSpace();
    if (text.startsWith("{", at)) {
      return capture();
    }
    return text.startsWith("'", at) ? quoted() : bare();
  }

  private Capture capture() {
    int close = text.indexOf('}', at);
    String name = close < 0 ? "" : text.substring(at + 1, close);
    if (!TemplateScanner.isName(name)) {
      throw refusal("a capture must be a name in braces, like {a}", at);
    }
    at = close + 1;
    return new Capture(name);
  }

  private Constant quoted() {
    StringBuilder constant = new StringBuilder();
    int open = at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '\'') {
        constant.append(c);
      } else if (text.startsWith("'", at)) {
        constant.append('\'');
        at++;
      } else {
        return new Constant(constant.toString());
      }
    }
    throw refusal("a quote must be closed, and one in the text doubled", open);
  }

  private Constant bare() {
    int start = at;
    String word = take(ConditionScanner::isBare);
    if (word.isEmpty()) {
      throw refusal(
          "an operand must be a capture like {a}, a word, or text in single quotes", start);
    }
    return new Constant(word);
  }

  private Operator operator() {
    skipSpace();
    int start = at;
    boolean signs = at < text.length() && isSign(text.charAt(at));
    String sign = take(signs ? ConditionScanner::isSign : ConditionScanner::isBare);
    for (Operator operator : Operator.values()) {
      if (operator.sign().equals(sign)) {
        return operator;
      }
    }
    String known =
        Arrays.stream(Operator.values()).map(Operator::sign).collect(Collectors.joining(" "));
    Operator meant = ELSEWHERE.get(sign);
    String hint = meant == null ? "" : "; did you mean '" + meant.sign() + "'?";
    throw refusal("an operator must be one of " + known + ", not '" + sign + "'" + hint, start);
  }

  private String take(IntPredicate which) {
    int start = at;
    while (at < text.length() && which.test(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private void skipSpace() {
    take(Character::isWhitespace);
  }

  private IllegalArgumentException refusal(String rule, int position) {
    return new IllegalArgumentException(
        rule + ": character " + (position + 1) + " of '" + text + "'");
  }
}

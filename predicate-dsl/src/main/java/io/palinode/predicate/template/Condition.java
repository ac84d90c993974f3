package io.palinode.predicate.template;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the captures of an instance must satisfy for it to be watched, such as {@code {a} != {b}}. A
 * binding that breaks a condition opens nothing. Immutable and thread-safe.
 *
 * @param left a capture, unless {@code right} is one
 */
public record Condition(Operand left, Operator operator, Operand right) {
  public static final int LENGTH_MAX = Template.LENGTH_MAX;

  /** {@code =} and {@code !=} compare text, the others decimals. */
  public enum Operator {
    EQUAL("=", null),
    NOT_EQUAL("!=", null),
    BELOW(Order.BELOW),
    AT_MOST(Order.AT_MOST),
    ABOVE(Order.ABOVE),
    AT_LEAST(Order.AT_LEAST);

    private final String sign;
    private final @Nullable Order order;

    Operator(String sign, @Nullable Order order) {
      this.sign = sign;
      this.order = order;
    }

    Operator(Order order) {
      this(order.sign(), order);
    }

    String sign() {
      return sign;
    }

    public boolean isOrder() {
      return order != null;
    }

    private boolean holds(String left, String right) {
      if (order == null) {
        return left.equals(right) == (this == EQUAL);
      }
      Decimal leftDecimal = Decimal.read(left);
      Decimal rightDecimal = Decimal.read(right);
      return leftDecimal != null && rightDecimal != null && order.holds(leftDecimal, rightDecimal);
    }
  }

  /** One side of a condition. */
  public sealed interface Operand {
    /** Its text in an instance whose binding holds every capture. */
    String in(Binding binding);
  }

  /** The value of a capture. */
  public record Capture(String name) implements Operand {
    @Override
    public String in(Binding binding) {
      String value = binding.values().get(name);
      if (value == null) {
        throw new IllegalArgumentException("a binding must hold '" + name + "': " + binding);
      }
      return value;
    }

    @Override
    public String toString() {
      return "{" + name + "}";
    }
  }

  /** This text. */
  public record Constant(String text) implements Operand {
    public Constant {
      WritableText.require("a constant", text);
    }

    @Override
    public String in(Binding binding) {
      return text;
    }

    /** In quotes where it would not be read back as it is. */
    @Override
    public String toString() {
      return ConditionScanner.isBare(text) ? text : "'" + text.replace("'", "''") + "'";
    }
  }

  public Condition {
    if (left instanceof Constant && right instanceof Constant) {
      throw new IllegalArgumentException(
          "a condition must hold a capture: '" + left + " " + operator.sign + " " + right + "'");
    }
    requireDecimal(operator, left);
    requireDecimal(operator, right);
    if (text(left, operator, right).length() > LENGTH_MAX) {
      throw new IllegalArgumentException(
          "a condition must have at most "
              + LENGTH_MAX
              + " characters: characters="
              + text(left, operator, right).length());
    }
  }

  /** Throws {@link IllegalArgumentException} that names the text and the place. */
  public static Condition parse(String text) {
    return ConditionScanner.scan(text);
  }

  /** {@code binding} holds every capture. */
  public boolean holds(Binding binding) {
    return operator.holds(left.in(binding), right.in(binding));
  }

  /** Whether it compares decimals, and a capture of {@code binding} is none. */
  public boolean refuses(Binding binding) {
    return operator.isOrder()
        && (Decimal.read(left.in(binding)) == null || Decimal.read(right.in(binding)) == null);
  }

  /** The captures that it speaks of, in order. */
  public List<String> captures() {
    List<String> names = new ArrayList<>(2);
    for (Operand operand : List.of(left, right)) {
      if (operand instanceof Capture capture) {
        names.add(capture.name());
      }
    }
    return names;
  }

  /** {@code {a} != {b}}; {@link #parse} reads it back. */
  @Override
  public String toString() {
    return text(left, operator, right);
  }

  private static String text(Operand left, Operator operator, Operand right) {
    return left + " " + operator.sign + " " + right;
  }

  private static void requireDecimal(Operator operator, Operand operand) {
    if (operator.isOrder() && operand instanceof Constant constant) {
      Decimal.parse(constant.text());
    }
  }
}

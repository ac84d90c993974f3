package io.palinode.predicate;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a term says of its variable's value. A key that has no value satisfies none, and neither
 * does a value that is no text. Thread-safe, as templates are.
 */
public sealed interface Comparison {
  /** How it is written in a term: {@code equals}. */
  String word();

  /** The texts it compares with, as they are written: several for {@code in}, else one. */
  List<String> operands();

  /** The captures that stand in the operands. */
  default Set<String> captures() {
    return Set.of();
  }

  /** Those of {@link #captures} that a value binds; the others must be bound by the key. */
  default Set<String> bound() {
    return Set.of();
  }

  /**
   * Null when {@code value} does not satisfy this for a key that bound {@code byKey}, else the
   * binding of {@link #bound}. Bounded in time by the length of the value.
   */
  @Nullable Binding bind(Value value, Binding byKey);

  /** How many values were called no match because it would have taken too long to tell. */
  default long gaveUp() {
    return 0;
  }

  private static @Nullable Binding bindingIf(boolean holds) {
    return holds ? Binding.NONE : null;
  }

  /** The value is this text, and binds the captures in it. */
  record Equals(Template value) implements Comparison {
    @Override
    public String word() {
      return "equals";
    }

    @Override
    public List<String> operands() {
      return List.of(value.toString());
    }

    @Override
    public Set<String> captures() {
      return Set.copyOf(value.captures());
    }

    @Override
    public Set<String> bound() {
      return captures();
    }

    @Override
    public @Nullable Binding bind(Value of, Binding byKey) {
      return value.match(of.text(), byKey);
    }

    @Override
    public long gaveUp() {
      return value.gaveUp();
    }
  }

  /** The value is another text than this one, with the captures in it as the key binds them. */
  record NotEquals(Template value) implements Comparison {
    @Override
    public String word() {
      return "notEquals";
    }

    @Override
    public List<String> operands() {
      return List.of(value.toString());
    }

    @Override
    public Set<String> captures() {
      return Set.copyOf(value.captures());
    }

    // With all captures known a match takes a step a capture, and is never given up.
    @Override
    public @Nullable Binding bind(Value of, Binding byKey) {
      return bindingIf(value.match(of.text(), byKey) == null);
    }
  }

  /** The value is one of these texts, with the captures in them as the key binds them. */
  record In(List<Template> values) implements Comparison {
    /** In one list; each is compared with in turn. */
    public static final int VALUES_MAX = 1_000;

    public In {
      values = List.copyOf(values);
      if (values.isEmpty() || values.size() > VALUES_MAX) {
        throw new IllegalArgumentException(
            "in must list 1 to " + VALUES_MAX + " values: values=" + values.size());
      }
    }

    @Override
    public String word() {
      return "in";
    }

    @Override
    public List<String> operands() {
      return values.stream().map(Template::toString).toList();
    }

    @Override
    public Set<String> captures() {
      return values.stream()
          .flatMap(value -> value.captures().stream())
          .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public @Nullable Binding bind(Value of, Binding byKey) {
      for (int i = 0; i < values.size(); i++) {
        if (values.get(i).match(of.text(), byKey) != null) {
          return Binding.NONE;
        }
      }
      return null;
    }
  }

  /** The value is a decimal that stands so to this one. */
  record Ordered(Order order, Decimal limit) implements Comparison {
    @Override
    public String word() {
      return order.word();
    }

    @Override
    public List<String> operands() {
      return List.of(limit.toString());
    }

    @Override
    public @Nullable Binding bind(Value of, Binding byKey) {
      Decimal decimal = of.decimal();
      return bindingIf(decimal != null && order.holds(decimal, limit));
    }
  }

  /** The whole value matches this regular expression. */
  record Matches(Regex pattern) implements Comparison {
    @Override
    public String word() {
      return "matches";
    }

    @Override
    public List<String> operands() {
      return List.of(pattern.toString());
    }

    @Override
    public @Nullable Binding bind(Value of, Binding byKey) {
      return bindingIf(pattern.matches(of.text()));
    }

    @Override
    public long gaveUp() {
      return pattern.gaveUp();
    }
  }

  /**
   * The variable is as it is, absent or not: that of {@link ClauseRule.ReplicasDiverged}. Not
   * written.
   */
  record AnyState() implements Comparison {
    @Override
    public String word() {
      return "is in any state";
    }

    @Override
    public List<String> operands() {
      return List.of();
    }

    @Override
    public Binding bind(Value of, Binding byKey) {
      return Binding.NONE;
    }
  }

  /** The value is a decimal, whichever: a variable of a sum. Not written. */
  record IsNumber() implements Comparison {
    @Override
    public String word() {
      return "is a decimal";
    }

    @Override
    public List<String> operands() {
      return List.of();
    }

    @Override
    public @Nullable Binding bind(Value of, Binding byKey) {
      return bindingIf(of.decimal() != null);
    }
  }
}

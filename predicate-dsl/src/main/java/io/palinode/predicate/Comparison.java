package io.palinode.predicate;

import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Decimal;
import io.palinode.predicate.template.Order;
import io.palinode.predicate.template.Regex;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.template.Value;
import io.palinode.predicate.text.PredicateException;
import io.palinode.predicate.text.Text;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a term compares the value of its variable. Immutable and thread-safe, as templates are. An
 * absent key, and a value that is not text, satisfy no comparison.
 *
 * <p>To add a comparison, add a record and its entry in {@link Kind}: both forms, both schemas and
 * the explanation read the table.
 */
public sealed interface Comparison {
  /** The word in a term, such as {@code equals}; in messages only, if no term has it. */
  String word();

  /** The texts it compares with, as they are written: several for {@code in}, else one. */
  List<String> operands();

  /** A value that satisfies this for {@code binding}, or a description of such values. */
  Example example(Binding binding);

  /** The captures in the operands. */
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

  /** The number of values that the comparison refused because a match took too many steps. */
  default long gaveUp() {
    return 0;
  }

  /**
   * The comparisons that a term can be written with, in the order of the documentation.
   *
   * <p>{@link #word} is the field of YAML and the attribute or element of XML.
   */
  enum Kind {
    EQUALS("equals", Operand.TEMPLATE, "The value is this text; may bind captures.", Equals::read),
    NOT_EQUALS("notEquals", Operand.TEMPLATE, "The value is another text.", NotEquals::read),
    BELOW(Order.BELOW),
    AT_MOST(Order.AT_MOST),
    ABOVE(Order.ABOVE),
    AT_LEAST(Order.AT_LEAST),
    IN("in", Operand.TEMPLATES, "The value is one of these.", In::read),
    MATCHES(
        "matches",
        Operand.TEXT,
        "The value matches this RE2 expression, all of it.",
        Matches::read),
    LOST_UPDATE(
        "lostUpdate",
        Operand.TRUE,
        "The value superseded one that its writer had not seen; always true.",
        operands -> OfOperation.read("lostUpdate", operands, new LostUpdate())),
    STALE_READ(
        "staleRead",
        Operand.TRUE,
        "A session read the value after it had written or read a later one; always true.",
        operands -> OfOperation.read("staleRead", operands, new StaleRead())),
    NON_MONOTONIC_READ(
        "nonMonotonicRead",
        Operand.TRUE,
        "A session read the value, then a later one, then the value again; always true.",
        operands -> OfOperation.read("nonMonotonicRead", operands, new NonMonotonicRead()));

    /** The words of all kinds. */
    public static final List<String> WORDS = Arrays.stream(values()).map(Kind::word).toList();

    private final String word;
    private final Operand operand;
    private final String meaning;

    // The readers are references to static methods, so they have no state.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<List<Text>, Comparison> reader;

    Kind(String word, Operand operand, String meaning, Function<List<Text>, Comparison> reader) {
      this.word = word;
      this.operand = operand;
      this.meaning = meaning;
      this.reader = reader;
    }

    Kind(Order order) {
      this(
          order.word(),
          Operand.DECIMAL,
          "The value is a decimal " + order.sign() + " this.",
          operands -> new Ordered(order, Decimal.parse(operands.get(0).value())));
    }

    /** The kind that is written {@code word}, which is one of {@link #WORDS}. */
    public static Kind of(String word) {
      return values()[WORDS.indexOf(word)];
    }

    /** {@code notEquals}. */
    public String word() {
      return word;
    }

    public Operand operand() {
      return operand;
    }

    /** One sentence for editors. */
    public String meaning() {
      return meaning;
    }

    /** Throws {@link IllegalArgumentException} or {@link PredicateException} with the reason. */
    public Comparison read(List<Text> operands) {
      return reader.apply(operands);
    }
  }

  /** What is written after the word of a comparison. */
  enum Operand {
    TEMPLATE,
    /** A list in YAML, repeated elements in XML. */
    TEMPLATES,
    DECIMAL,
    TEXT,
    /** The word alone decides: what follows is {@code true}. */
    TRUE
  }

  /**
   * Values that satisfy a comparison.
   *
   * @param words {@code "a decimal below "}; empty if {@code text} is itself such a value
   * @param text a value of a key, or what {@code words} refer to; null if they refer to none
   */
  record Example(String words, @Nullable String text) {}

  private static @Nullable Binding bindingIf(boolean holds) {
    return holds ? Binding.NONE : null;
  }

  /** Compares with one text. */
  sealed interface WithText extends Comparison {
    Template value();

    @Override
    default List<String> operands() {
      return List.of(value().toString());
    }

    @Override
    default Set<String> captures() {
      return Set.copyOf(value().captures());
    }
  }

  /** The value is this text, and binds the captures in it. */
  record Equals(Template value) implements WithText {
    private static Comparison read(List<Text> operands) {
      return new Equals(operands.get(0).read(Template::parse));
    }

    @Override
    public String word() {
      return Kind.EQUALS.word();
    }

    @Override
    public Example example(Binding binding) {
      return new Example("", value.fill(binding));
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
  record NotEquals(Template value) implements WithText {
    private static Comparison read(List<Text> operands) {
      return new NotEquals(operands.get(0).read(Template::parse));
    }

    @Override
    public String word() {
      return Kind.NOT_EQUALS.word();
    }

    @Override
    public Example example(Binding binding) {
      return new Example("another text than ", value.fill(binding));
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

    private static Comparison read(List<Text> operands) {
      return new In(operands.stream().map(operand -> operand.read(Template::parse)).toList());
    }

    @Override
    public String word() {
      return Kind.IN.word();
    }

    @Override
    public Example example(Binding binding) {
      return new Example("", values.get(0).fill(binding));
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
    public Example example(Binding binding) {
      return new Example("a decimal " + order.words() + " ", limit.toString());
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
    private static Comparison read(List<Text> operands) {
      return new Matches(Regex.parse(operands.get(0).value()));
    }

    @Override
    public String word() {
      return Kind.MATCHES.word();
    }

    @Override
    public Example example(Binding binding) {
      return new Example("a text that matches ", pattern.toString());
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
   * A property of the operation that wrote or read the value: no value satisfies it by itself, so
   * {@link #bind} binds none.
   */
  sealed interface OfOperation extends Comparison {
    private static Comparison read(String word, List<Text> operands, Comparison comparison) {
      String written = operands.get(0).value();
      if (!written.strip().equals("true")) {
        throw new IllegalArgumentException(
            word + " must be true; leave the term out otherwise: '" + written + "'");
      }
      return comparison;
    }

    @Override
    default List<String> operands() {
      return List.of("true");
    }

    @Override
    default @Nullable Binding bind(Value of, Binding byKey) {
      return null;
    }
  }

  /** The value superseded one that its writer had not seen. */
  record LostUpdate() implements OfOperation {
    @Override
    public String word() {
      return Kind.LOST_UPDATE.word();
    }

    @Override
    public Example example(Binding binding) {
      return new Example("a value over one that its writer had not seen", null);
    }
  }

  /** A session read the value after it had written or read one that supersedes it. */
  record StaleRead() implements OfOperation {
    @Override
    public String word() {
      return Kind.STALE_READ.word();
    }

    @Override
    public Example example(Binding binding) {
      return new Example("a value older than what its reader had written or read", null);
    }
  }

  /** A session read the value, then one that supersedes it, then the value again. */
  record NonMonotonicRead() implements OfOperation {
    @Override
    public String word() {
      return Kind.NON_MONOTONIC_READ.word();
    }

    @Override
    public Example example(Binding binding) {
      return new Example("a value older than what its reader had read", null);
    }
  }

  /** Any value, or none: the variable of {@link ClauseRule.ReplicasDiverged}. Not written. */
  record AnyState() implements Comparison {
    @Override
    public String word() {
      return "is in any state";
    }

    @Override
    public Example example(Binding binding) {
      return new Example("any value", null);
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

  /** Any decimal: the variable of a sum. Not written. */
  record IsNumber() implements Comparison {
    @Override
    public String word() {
      return "is a decimal";
    }

    @Override
    public Example example(Binding binding) {
      return new Example("a decimal", null);
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

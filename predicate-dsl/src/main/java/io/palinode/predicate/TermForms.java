package io.palinode.predicate;

import static io.palinode.predicate.FormReader.at;
import static io.palinode.predicate.FormReader.required;

import io.palinode.predicate.Comparison.AnyState;
import io.palinode.predicate.Comparison.Equals;
import io.palinode.predicate.Comparison.In;
import io.palinode.predicate.Comparison.IsNumber;
import io.palinode.predicate.Comparison.Matches;
import io.palinode.predicate.Comparison.NotEquals;
import io.palinode.predicate.Comparison.Ordered;
import io.palinode.predicate.PredicateForm.TermForm;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Terms of forms, and forms of terms. */
final class TermForms {
  /** The comparisons, in the order of the documentation. */
  static final List<String> WORDS =
      List.of("equals", "notEquals", "below", "atMost", "above", "atLeast", "in", "matches");

  private TermForms() {}

  static Term read(TermForm form) {
    Text variable = required("term", "var", form.variable, form.place);
    Template key = template(variable);
    at(variable.place(), () -> Term.requireVariable(key));
    String word = word(form);
    List<Text> operands = given(form).getOrDefault(word, List.of());
    Place place = operands.isEmpty() ? form.place : operands.get(0).place();
    Comparison comparison = at(place, () -> comparison(word, operands));
    String store = store(form.store);
    return at(place, () -> new Term(store, key, comparison));
  }

  static TermForm write(Term term) {
    TermForm form = new TermForm();
    form.store = term.store() == null ? null : text(term.store());
    form.variable = text(term.variable().toString());
    List<Text> operands = term.comparison().operands().stream().map(TermForms::text).toList();
    switch (term.comparison().word()) {
      case "equals" -> form.equalTo = operands.get(0);
      case "notEquals" -> form.notEquals = operands.get(0);
      case "below" -> form.below = operands.get(0);
      case "atMost" -> form.atMost = operands.get(0);
      case "above" -> form.above = operands.get(0);
      case "atLeast" -> form.atLeast = operands.get(0);
      case "in" -> form.in = operands;
      default -> form.matches = operands.get(0);
    }
    return form;
  }

  /** A variable of a sum. */
  static Term read(PredicateForm.Summand form) {
    Text variable = required("sum", "variable", form.variable, form.place);
    Template key = template(variable);
    String store = store(form.store);
    return at(variable.place(), () -> new Term(store, key, new IsNumber()));
  }

  /** The variable whose replicas are compared. */
  static Term read(PredicateForm.ReplicasDiverged form) {
    Text variable = required("replicasDiverged", "var", form.variable, form.place);
    Template key = template(variable);
    String store = store(form.store);
    return at(variable.place(), () -> new Term(store, key, new AnyState()));
  }

  static PredicateForm.Summand writeSummand(Term term) {
    PredicateForm.Summand form = new PredicateForm.Summand();
    form.store = term.store() == null ? null : text(term.store());
    form.variable = text(term.variable().toString());
    return form;
  }

  private static @Nullable String store(@Nullable Text store) {
    if (store != null) {
      at(store.place(), () -> Term.requireStore(store.value()));
    }
    return store == null ? null : store.value();
  }

  /** What stands in the form, by its word. */
  private static Map<String, List<Text>> given(TermForm form) {
    Map<String, List<Text>> given = new LinkedHashMap<>();
    put(given, "equals", form.equalTo);
    put(given, "notEquals", form.notEquals);
    put(given, "below", form.below);
    put(given, "atMost", form.atMost);
    put(given, "above", form.above);
    put(given, "atLeast", form.atLeast);
    if (form.in != null) {
      given.put("in", form.in);
    }
    put(given, "matches", form.matches);
    return given;
  }

  private static void put(Map<String, List<Text>> given, String word, @Nullable Text operand) {
    if (operand != null) {
      given.put(word, List.of(operand));
    }
  }

  private static String word(TermForm form) {
    List<String> words = List.copyOf(given(form).keySet());
    if (words.isEmpty()) {
      throw form.place.refusal("a term needs one of " + String.join(", ", WORDS));
    }
    if (words.size() > 1) {
      throw form.place.refusal(
          "a term must have exactly one comparison: '"
              + words.get(0)
              + "', '"
              + words.get(1)
              + "'");
    }
    return words.get(0);
  }

  private static Comparison comparison(String word, List<Text> operands) {
    return switch (word) {
      case "equals" -> new Equals(template(operands.get(0)));
      case "notEquals" -> new NotEquals(template(operands.get(0)));
      case "in" -> new In(operands.stream().map(TermForms::template).toList());
      case "matches" -> new Matches(Regex.parse(operands.get(0).value()));
      default -> new Ordered(order(word), Decimal.parse(operands.get(0).value()));
    };
  }

  private static Order order(String word) {
    return Stream.of(Order.values()).filter(o -> o.word().equals(word)).findFirst().orElseThrow();
  }

  private static Template template(Text text) {
    return at(text.place(), () -> Template.parse(text.value()));
  }

  private static Text text(String value) {
    return new Text(value, Place.NONE);
  }
}
